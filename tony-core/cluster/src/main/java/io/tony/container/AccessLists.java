package io.tony.container;

import io.tony.config.TonyConfig;
import io.tony.config.declared.JobOptions;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ApplicationAccessType;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;

/**
 * Puts the job's access control lists (who may view or kill the application) into container launch
 * contexts. The ResourceManager reads the lists from the ApplicationMaster's launch context; a
 * NodeManager reads them from the application's first container on its node.
 */
public final class AccessLists {
  private AccessLists() {}

  /**
   * Sets the access control lists of the job in {@code context}. If the job sets none, only its
   * owner and YARN's administrators have access.
   */
  public static void applyTo(ContainerLaunchContext context, TonyConfig config) {
    context.setApplicationACLs(
        Map.of(
            ApplicationAccessType.VIEW_APP, list(config.get(JobOptions.VIEW_ACLS)),
            ApplicationAccessType.MODIFY_APP, list(config.get(JobOptions.MODIFY_ACLS))));
  }

  /**
   * Returns the list in the form that YARN reads. An empty list becomes a blank, because YARN
   * treats an empty text as if no list were set.
   */
  private static String list(String acl) {
    return acl.isBlank() ? " " : acl;
  }
}
