package io.tony.container;

import io.tony.config.TonyConfig;
import io.tony.config.declared.JobOptions;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ApplicationAccessType;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;

/**
 * Who else may look at an application and kill it, as its job says. The ResourceManager takes it
 * from the ApplicationMaster's container, a node from the first of its containers.
 */
public final class AccessLists {
  private AccessLists() {}

  /** Tells YARN; nobody else is to where the job names nobody. */
  public static void applyTo(ContainerLaunchContext context, TonyConfig config) {
    context.setApplicationACLs(
        Map.of(
            ApplicationAccessType.VIEW_APP, list(config.get(JobOptions.VIEW_ACLS)),
            ApplicationAccessType.MODIFY_APP, list(config.get(JobOptions.MODIFY_ACLS))));
  }

  /** A list that is empty is a blank to YARN, which takes no text for one that is not there. */
  private static String list(String acl) {
    return acl.isBlank() ? " " : acl;
  }
}
