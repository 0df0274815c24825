package io.tony.container;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.AccessControlList;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * Decides who may see an application and its pages, by YARN's own rule. If YARN's access control
 * ({@code yarn.acl.enable}) is off, everyone may; otherwise the owner, the users in the job's
 * {@code tony.application.view-acls}, and YARN's administrators.
 */
public final class ViewRule {
  private final boolean aclsEnabled;
  private final AccessControlList administrators;

  public ViewRule(Configuration conf) {
    aclsEnabled =
        conf.getBoolean(
            YarnConfiguration.YARN_ACL_ENABLE, YarnConfiguration.DEFAULT_YARN_ACL_ENABLE);
    administrators =
        new AccessControlList(
            conf.get(YarnConfiguration.YARN_ADMIN_ACL, YarnConfiguration.DEFAULT_YARN_ADMIN_ACL));
  }

  /** Returns true if YARN's access control is on. */
  public boolean aclsEnabled() {
    return aclsEnabled;
  }

  /** Returns YARN's administrators. */
  public AccessControlList administrators() {
    return administrators;
  }

  /** A user who asks to see applications. */
  public static final class Viewer {
    private final boolean seesAll;
    private final @Nullable UserGroupInformation user; // null if not logged in

    private Viewer(boolean seesAll, @Nullable UserGroupInformation user) {
      this.seesAll = seesAll;
      this.user = user;
    }

    /** Returns true if the viewer may see all applications. */
    public boolean seesAll() {
      return seesAll;
    }

    /**
     * Returns true if the viewer may see this application.
     *
     * @param owner short name of the user who submitted the application
     * @param viewAcls the application's value of {@code tony.application.view-acls}
     */
    public boolean sees(String owner, String viewAcls) {
      return seesAll
          || (user != null
              && (user.getShortUserName().equals(owner)
                  || (!viewAcls.isEmpty() && new AccessControlList(viewAcls).isUserAllowed(user))));
    }
  }

  /**
   * Returns the viewer for a user name.
   *
   * @param name null or empty for someone who has not logged in
   */
  public Viewer viewer(@Nullable String name) {
    UserGroupInformation user =
        name == null || name.isEmpty() ? null : UserGroupInformation.createRemoteUser(name);
    return new Viewer(!aclsEnabled || (user != null && administrators.isUserAllowed(user)), user);
  }
}
