package io.tony.container;

import io.tony.config.TonyConfig;
import io.tony.config.declared.JobOptions;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ApplicationAccessType;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;

/**
 * Puts the job's access control lists, which allow other users to view or kill the application,
 * into container launch contexts. The ResourceManager reads them from the ApplicationMaster's
 * container, a NodeManager from the first of the application's containers on its node.
 */
public final class AccessLists {
  private AccessLists() {}

  /**
   * Sets the lists in {@code context}. Without lists in the job, YARN allows only the owner and the
   * administrators.
   */
  public static void applyTo(ContainerLaunchContext context, TonyConfig config) {
    context.setApplicationACLs(
        Map.of(
            ApplicationAccessType.VIEW_APP, list(config.get(JobOptions.VIEW_ACLS)),
            ApplicationAccessType.MODIFY_APP, list(config.get(JobOptions.MODIFY_ACLS))));
  }

  /**
   * Returns the list as YARN reads it: a blank for an empty list, because YARN reads an empty text
   * as a missing list.
   */
  private static String list(String acl) {
    return acl.isBlank() ? " " : acl;
  }
}
