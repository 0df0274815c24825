package io.tony.am.page;

import io.tony.am.http.HttpExchange;
import io.tony.am.http.HttpRequest;
import io.tony.am.http.RequestRejectedException;
import io.tony.config.TonyConfig;
import io.tony.config.declared.JobOptions;
import io.tony.container.ViewRule;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.webapp.util.WebAppUtils;
import org.jspecify.annotations.Nullable;

/**
 * Access control for the page of a job on YARN. Requests must come from YARN's proxy; if YARN's
 * ACLs are enabled, the user must also be allowed to view the application. The proxy passes the
 * user's name in a cookie, which is trusted only from the proxy's addresses. Modelled on Hadoop's
 * servlet filter for ApplicationMasters ({@code AmIpFilter}).
 */
final class ProxiedViewers implements Viewers {
  private static final Pattern USER = Pattern.compile("(?:^|;\\s*)proxy-user=([^;]*)");

  private final ProxyAddresses proxies;
  private final ViewRule rule;
  private final JobInfo jobInfo;
  private final String viewAcls;

  /** Creates the access control for the proxies in the cluster's configuration. */
  ProxiedViewers(Configuration conf, TonyConfig config, JobInfo jobInfo) {
    this.proxies =
        new ProxyAddresses(
            WebAppUtils.getProxyHostsAndPortsForAmFilter(conf),
            () -> Instant.ofEpochMilli(TimeUnit.NANOSECONDS.toMillis(System.nanoTime())));
    this.jobInfo = jobInfo;
    this.rule = new ViewRule(conf);
    this.viewAcls = config.get(JobOptions.VIEW_ACLS);
  }

  @Override
  public @Nullable String admit(HttpRequest request, HttpExchange exchange) {
    if (!proxies.contains(exchange.connection().address())) {
      exchange.answer(
          302, Map.of("Location", jobInfo.proxyUrl()), "This page is behind YARN's proxy.\n");
      return null;
    }
    check(request);
    return request.target();
  }

  private void check(HttpRequest request) {
    if (!rule.aclsEnabled()) {
      return;
    }
    String user = user(request.header("cookie"));
    if (user.isEmpty()) {
      throw rejection("YARN's proxy names nobody who has logged in");
    }
    if (!rule.viewer(user).sees(jobInfo.user(), viewAcls)) {
      throw rejection(
          user
              + " may not see this job: its owner can name viewers ("
              + JobOptions.VIEW_ACLS.key()
              + ")");
    }
  }

  private static RequestRejectedException rejection(String why) {
    return new RequestRejectedException(403, "those who may not see the page", why);
  }

  private static String user(String cookies) {
    Matcher user = USER.matcher(cookies);
    return user.find() ? URLDecoder.decode(user.group(1), StandardCharsets.UTF_8) : "";
  }
}
