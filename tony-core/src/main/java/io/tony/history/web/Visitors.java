package io.tony.history.web;

import io.tony.history.JobSummary;
import java.util.function.Predicate;
import javax.servlet.http.HttpServletRequest;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.AccessControlList;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Which jobs somebody may see: where YARN asks ({@code yarn.acl.enable}), their own, those whose
 * owners named them, and all for YARN's administrators; elsewhere all. Who it is, Hadoop's filter
 * for web pages says ({@code hadoop.http.filter.initializers}).
 */
final class Visitors {
  private final boolean asked;
  private final AccessControlList administrators;

  Visitors(Configuration conf) {
    asked =
        conf.getBoolean(
            YarnConfiguration.YARN_ACL_ENABLE, YarnConfiguration.DEFAULT_YARN_ACL_ENABLE);
    administrators = administrators(conf);
  }

  static AccessControlList administrators(Configuration conf) {
    return new AccessControlList(
        conf.get(YarnConfiguration.YARN_ADMIN_ACL, YarnConfiguration.DEFAULT_YARN_ADMIN_ACL));
  }

  /** Whether no job is kept from somebody. */
  boolean maySeeAll(HttpServletRequest request) {
    String name = request.getRemoteUser();
    return !asked
        || (name != null
            && !name.isEmpty()
            && administrators.isUserAllowed(UserGroupInformation.createRemoteUser(name)));
  }

  Predicate<JobSummary> mayBeSeenBy(HttpServletRequest request) {
    if (!asked) {
      return job -> true;
    }
    String name = request.getRemoteUser();
    if (name == null || name.isEmpty()) {
      return job -> false;
    }
    UserGroupInformation user = UserGroupInformation.createRemoteUser(name);
    if (administrators.isUserAllowed(user)) {
      return job -> true;
    }
    return job ->
        job.user().equals(user.getShortUserName())
            || (!job.viewers().isEmpty()
                && new AccessControlList(job.viewers()).isUserAllowed(user));
  }
}
