package io.tony.am.page;

import io.tony.am.serve.HttpRequest;
import io.tony.am.serve.Refusal;
import io.tony.config.TonyConfig;
import io.tony.config.declared.JobOptions;
import io.tony.container.ViewRule;
import java.net.InetAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;

/**
 * Who may see the page of a job: those who come through YARN's proxy, and of them, where YARN asks
 * at all, those to whom YARN shows the application. The proxy knows who they are and says so in a
 * cookie, which nobody else's word is taken for. The same rule as that of Hadoop's filter for
 * ApplicationMasters ({@code AmIpFilter}), for a server without servlets.
 */
final class Viewers {
  private static final Pattern USER = Pattern.compile("(?:^|;\\s*)proxy-user=([^;]*)");

  private final ProxyAddresses proxies;
  private final ViewRule rule;
  private final String owner;
  private final String named;

  /**
   * @param owner who submitted the job
   */
  Viewers(Configuration conf, TonyConfig config, String owner, ProxyAddresses proxies) {
    this.proxies = proxies;
    this.owner = owner;
    this.rule = new ViewRule(conf);
    this.named = config.get(JobOptions.VIEW_ACLS);
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
    if (!rule.asks()) {
      return;
    }
    String user = user(request.header("cookie"));
    if (user.isEmpty()) {
      throw refusal("YARN's proxy names nobody who has logged in");
    }
    if (!rule.viewer(user).sees(owner, named)) {
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

  private static String user(String cookies) {
    Matcher user = USER.matcher(cookies);
    return user.find() ? URLDecoder.decode(user.group(1), StandardCharsets.UTF_8) : "";
  }
}
