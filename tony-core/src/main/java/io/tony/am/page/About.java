package io.tony.am.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tony.config.TonyConfig;
import io.tony.config.declared.JobOptions;
import io.tony.container.Submitter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.webapp.util.WebAppUtils;

/**
 * What the page is about.
 *
 * @param name of the job
 * @param user who submitted it
 * @param queue of YARN that it was submitted to
 * @param yarn URL of YARN's page of the application
 * @param proxied URL of this page, behind YARN's proxy
 */
public record About(
    String application, String name, String user, String queue, String yarn, String proxied) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Addresses are those of the cluster's configuration. */
  public static About of(Configuration conf, TonyConfig config, String name, String application) {
    String scheme = WebAppUtils.getHttpSchemePrefix(conf);
    return new About(
        application,
        name,
        Submitter.name(),
        config.get(JobOptions.QUEUE),
        WebAppUtils.getResolvedRemoteRMWebAppURLWithScheme(conf) + "/cluster/app/" + application,
        scheme
            + WebAppUtils.getProxyHostsAndPortsForAmFilter(conf).get(0)
            + "/proxy/"
            + application
            + "/");
  }

  /** As the page reads it. */
  String json() {
    Map<String, Object> job = new LinkedHashMap<>();
    job.put("application", application);
    job.put("name", name);
    job.put("user", user);
    job.put("queue", queue);
    Map<String, String> home = new LinkedHashMap<>();
    home.put("label", "YARN application");
    home.put("href", yarn);
    job.put("path", List.of(home));
    try {
      return JSON.writeValueAsString(job);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("texts are always JSON", e);
    }
  }
}
