package io.tony.history.web;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.tony.history.JobFilter;
import io.tony.history.JobSummary;
import io.tony.history.JobSummary.Status;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.webapp.util.WebAppUtils;

/**
 * Lists the metrics endpoints of running jobs, which are reached through YARN's proxy, for
 * Prometheus' HTTP service discovery. Includes only jobs that the visitor may see; if there are too
 * many, the newest.
 */
public final class TargetsServlet extends HttpServlet {
  private static final long serialVersionUID = 1;

  /**
   * Name of the servlet context attribute that contains the {@link TargetsSource}; {@link
   * HistoryServer} sets it.
   */
  static final String TARGETS = "tony.history.targets";

  /** Maximum number of targets. A Prometheus server could hardly scrape more through the proxy. */
  private static final int MAX_TARGETS = 1_000;

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * The data that this servlet serves.
   *
   * @param scheme URL scheme of YARN's proxy
   * @param proxy host and port of YARN's proxy
   */
  record TargetsSource(HistoryApi history, String scheme, String proxy) {
    static TargetsSource of(Configuration conf, HistoryApi history) {
      return new TargetsSource(
          history,
          WebAppUtils.getHttpSchemePrefix(conf).replace("://", ""),
          WebAppUtils.getProxyHostAndPort(conf));
    }
  }

  private record Target(List<String> targets, Map<String, String> labels) {}

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    TargetsSource source = (TargetsSource) getServletContext().getAttribute(TARGETS);
    List<Target> targets =
        source
            .history()
            .index()
            .page(
                JobFilter.ALL
                    .withStatus(Status.RUNNING)
                    .and(source.history().visibleJobs().mayBeSeenBy(request)),
                0,
                MAX_TARGETS)
            .jobs()
            .stream()
            .map(job -> target(source, job))
            .toList();
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setContentType("application/json");
    response.getOutputStream().write(JSON.writeValueAsBytes(targets));
  }

  /**
   * Returns the target of one job. All targets have the address of the proxy, so the label {@code
   * instance} distinguishes them.
   */
  private static Target target(TargetsSource source, JobSummary job) {
    return new Target(
        List.of(source.proxy()),
        Map.of(
            "__scheme__",
            source.scheme(),
            "__metrics_path__",
            "/proxy/" + job.application() + "/metrics",
            "instance",
            job.application()));
  }
}
