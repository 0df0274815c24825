package io.tony.am.page;

import io.tony.am.serve.HttpRequest;
import io.tony.am.serve.Refusal;
import io.tony.config.TonyConfig;
import io.tony.config.declared.JobOptions;
import java.net.InetAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.AccessControlList;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Who may see the page of a job: those who come through YARN's proxy, and of them, where YARN asks
 * at all, those to whom YARN shows the application. The proxy knows who they are and says so in a
 * cookie, which nobody else's word is taken for. The same rule as that of Hadoop's filter for
 * ApplicationMasters ({@code AmIpFilter}), for a server without servlets.
 */
final class Viewers {
  private static final Pattern USER = Pattern.compile("(?:^|;\\s*)proxy-user=([^;]*)");

  private final ProxyAddresses proxies;
  private final boolean asked;
  private final String owner;
  private final List<AccessControlList> lists;

  /**
   * @param owner who submitted the job
   */
  Viewers(Configuration conf, TonyConfig config, String owner, ProxyAddresses proxies) {
    this.proxies = proxies;
    this.owner = owner;
    this.asked =
        conf.getBoolean(
            YarnConfiguration.YARN_ACL_ENABLE, YarnConfiguration.DEFAULT_YARN_ACL_ENABLE);
    this.lists =
        List.of(
            new AccessControlList(
                conf.get(
                    YarnConfiguration.YARN_ADMIN_ACL, YarnConfiguration.DEFAULT_YARN_ADMIN_ACL)),
            new AccessControlList(config.get(JobOptions.VIEW_ACLS)));
  }

  boolean isProxy(InetAddress caller) {
    return proxies.has(caller);
  }

  /**
   * Lets pass whoever may look.
   *
   * @throws Refusal for the others
   */
  void check(HttpRequest request) {
    if (!asked) {
      return;
    }
    String user = user(request.header("cookie"));
    if (user.isEmpty()) {
      throw refusal("YARN's proxy names nobody who has logged in");
    }
    if (!mayLook(user)) {
      throw refusal(
          user
              + " may not see this job: its owner can name viewers ("
              + JobOptions.VIEW_ACLS.key()
              + ")");
    }
  }

  private static Refusal refusal(String why) {
    return new Refusal(403, "those who may not see the page", why);
  }

  private boolean mayLook(String user) {
    UserGroupInformation viewer = UserGroupInformation.createRemoteUser(user);
    return user.equals(owner) || lists.stream().anyMatch(list -> list.isUserAllowed(viewer));
  }

  private static String user(String cookies) {
    Matcher user = USER.matcher(cookies);
    return user.find() ? URLDecoder.decode(user.group(1), StandardCharsets.UTF_8) : "";
  }
}
