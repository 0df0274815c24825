package io.tony.history.web;

import io.tony.metrics.PrometheusText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/**
 * Serves metrics of the jobs of all users in Prometheus' text format. If YARN restricts who may see
 * jobs, only YARN's administrators may see the metrics.
 */
public final class MetricsServlet extends HttpServlet {
  private static final long serialVersionUID = 1;

  /**
   * Name of the servlet context attribute that contains the {@link MetricsSource}; {@link
   * HistoryServer} sets it.
   */
  static final String METRICS = "tony.history.metrics";

  /** The metrics, and the rule that decides who may see them. */
  record MetricsSource(HistoryMetrics metrics, JobVisibility visibleJobs) {}

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    MetricsSource source = (MetricsSource) getServletContext().getAttribute(METRICS);
    if (source.visibleJobs().maySeeAll(request)) {
      send(response, PrometheusText.CONTENT_TYPE, source.metrics().text(Instant.now()));
    } else {
      response.setStatus(HttpServletResponse.SC_FORBIDDEN);
      send(
          response,
          "text/plain; charset=utf-8",
          "The figures are of the jobs of all users: YARN's administrators (yarn.admin.acl) may see"
              + " them.\n");
    }
  }

  private static void send(HttpServletResponse response, String type, String text)
      throws IOException {
    byte[] content = text.getBytes(StandardCharsets.UTF_8);
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setContentType(type);
    response.setContentLength(content.length);
    response.getOutputStream().write(content);
  }
}
