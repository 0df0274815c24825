package io.tony.am.page;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.tony.config.TonyConfig;
import io.tony.config.declared.JobOptions;
import io.tony.container.Submitter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.webapp.util.WebAppUtils;

/**
 * Properties of the job that the job's web page shows.
 *
 * @param name name of the job
 * @param user user who submitted the job
 * @param queue YARN queue to which the job was submitted
 * @param yarnUrl URL of YARN's page of the application; empty for a local job
 * @param proxyUrl URL of the job's page behind YARN's proxy; empty for a local job
 * @param historyUrl URL of the job's page on the history server, for the time after the job's end;
 *     empty if no history server is configured
 */
public record JobInfo(
    String application,
    String name,
    String user,
    String queue,
    String yarnUrl,
    String proxyUrl,
    String historyUrl) {
  private static final JsonFactory JSON = new JsonFactory();

  /** Returns the properties of a job on YARN, with URLs from the cluster's configuration. */
  public static JobInfo of(Configuration conf, TonyConfig config, String name, String application) {
    String scheme = WebAppUtils.getHttpSchemePrefix(conf);
    String historyUrl = HistoryLink.of(config, application, Submitter.name());
    return new JobInfo(
        application,
        name,
        Submitter.name(),
        config.get(JobOptions.QUEUE),
        WebAppUtils.getResolvedRemoteRMWebAppURLWithScheme(conf) + "/cluster/app/" + application,
        scheme
            + WebAppUtils.getProxyHostsAndPortsForAmFilter(conf).get(0)
            + "/proxy/"
            + application
            + "/",
        historyUrl == null ? "" : historyUrl);
  }

  /** Returns the properties of a local job, which has none of the URLs. */
  static JobInfo ofLocalJob(TonyConfig config, String name, String application) {
    return new JobInfo(
        application, name, Submitter.name(), config.get(JobOptions.QUEUE), "", "", "");
  }

  /** Returns the properties as JSON for the page's script. */
  String json() {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("application", application);
      json.writeStringField("name", name);
      json.writeStringField("user", user);
      json.writeStringField("queue", queue);
      json.writeStringField("history", historyUrl);
      json.writeArrayFieldStart("path");
      if (!yarnUrl.isEmpty()) {
        json.writeStartObject();
        json.writeStringField("label", "YARN application");
        json.writeStringField("href", yarnUrl);
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("a string refused to be written to", e);
    }
    return text.toString();
  }
}
