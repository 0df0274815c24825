package io.tony.container;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.AccessControlList;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * To whom YARN shows an application, and so to whom we show its pages: to all where YARN does not
 * ask ({@code yarn.acl.enable}); else to its owner, to those whom its owner named, and to YARN's
 * administrators.
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

  /** Whether it matters who looks. */
  public boolean aclsEnabled() {
    return aclsEnabled;
  }

  /** YARN's administrators. */
  public AccessControlList administrators() {
    return administrators;
  }

  /** Somebody who looks. */
  public static final class Viewer {
    private final boolean seesAll;
    private final UserGroupInformation user; // null for one who has not logged in

    private Viewer(boolean seesAll, UserGroupInformation user) {
      this.seesAll = seesAll;
      this.user = user;
    }

    /** Whether no application is kept from him. */
    public boolean seesAll() {
      return seesAll;
    }

    /**
     * Whether one application is shown to him.
     *
     * @param owner the short name of the one who submitted it
     * @param viewAcls by its owner, as {@code tony.application.view-acls} has it
     */
    public boolean sees(String owner, String viewAcls) {
      return seesAll
          || (user != null
              && (user.getShortUserName().equals(owner)
                  || (!viewAcls.isEmpty() && new AccessControlList(viewAcls).isUserAllowed(user))));
    }
  }

  /**
   * Who looks.
   *
   * @param name null or empty for one who has not logged in
   */
  public Viewer viewer(String name) {
    UserGroupInformation user =
        name == null || name.isEmpty() ? null : UserGroupInformation.createRemoteUser(name);
    return new Viewer(!aclsEnabled || (user != null && administrators.isUserAllowed(user)), user);
  }
}
