package io.tony.am.page;

import io.tony.am.http.CappedServer;
import io.tony.am.http.ConnectionCaps;
import io.tony.am.http.HttpExchange;
import io.tony.am.http.HttpRequest;
import io.tony.am.http.ListeningPorts;
import io.tony.am.http.QueryParameters;
import io.tony.am.http.RequestRejectedException;
import io.tony.logs.LogRequest;
import io.tony.metrics.PrometheusText;
import io.tony.model.PortRange;
import io.tony.page.PageFile;
import io.tony.page.PageFiles;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Web page of the job, to which YARN's link leads while the job runs. Serves the page's files, the
 * job's properties ({@code job}), its events from a number on ({@code events?from=N}, which waits
 * some seconds for new ones), the output of a task ({@code log}) and metrics for a monitoring
 * system ({@code metrics}). {@link Viewers} decides who may see the page.
 */
public final class JobPage implements AutoCloseable, HttpExchange.Service {
  private static final Logger LOG = LoggerFactory.getLogger(JobPage.class);

  private static final Duration MAX_EVENT_WAIT = Duration.ofSeconds(5);

  /**
   * Maximum number of requests that wait at the same time: for new events, for a task's output, or
   * for events to be read from files.
   */
  private static final int MAX_WAITING = 20;

  /** Limits of the page's connections. Each may have an answer with up to 1 MiB of events. */
  private static final ConnectionCaps CAPS =
      new ConnectionCaps(100, MAX_WAITING, 32L * 1024 * 1024, Duration.ofSeconds(30));

  static final Map<String, String> JSON_HEADERS = headers("application/json; charset=utf-8");

  static final String UNREADABLE = "the event log cannot be read now";

  private final CappedServer server;
  private final String host;
  private final JobInfo jobInfo;
  private final Viewers viewers;
  private final EventSource events;
  private final PageEventReader eventReader;
  private final EventPollHandler eventPolls;
  private final PageFiles files;
  // Both are null before the first request for them. Used only on the server's thread.
  private @Nullable MetricsPage metricsPage;
  private @Nullable RunningLogs runningLogs;

  private JobPage(
      ListeningPorts listeningPorts,
      String host,
      JobInfo jobInfo,
      Viewers viewers,
      EventSource events,
      Duration maxWait)
      throws IOException {
    this.host = host;
    this.jobInfo = jobInfo;
    this.viewers = viewers;
    this.events = events;
    this.files = PageFiles.ofJob();
    this.server =
        CappedServer.open(
            listeningPorts, "job-page", CAPS, connection -> new HttpExchange(connection, this));
    this.eventReader = new PageEventReader(events, server.deadlines());
    this.eventPolls = new EventPollHandler(events, eventReader, maxWait, server.deadlines());
  }

  /**
   * Starts serving on a free port of this host.
   *
   * @throws io.tony.am.http.NoFreePortException if no port of the range is free
   */
  static JobPage serve(
      Viewers viewers, String host, PortRange ports, JobInfo jobInfo, EventSource events)
      throws IOException {
    return serve(viewers, host, ports, jobInfo, events, MAX_EVENT_WAIT);
  }

  /**
   * Like the other method; {@code maxWait} is the maximum time that a request waits for new events.
   */
  static JobPage serve(
      Viewers viewers,
      String host,
      PortRange ports,
      JobInfo jobInfo,
      EventSource events,
      Duration maxWait)
      throws IOException {
    JobPage page =
        new JobPage(
            new ListeningPorts(host, ports, "the job's page"),
            host,
            jobInfo,
            viewers,
            events,
            maxWait);
    page.server.start();
    return page;
  }

  /** Returns the URL of the page on this host, to which YARN's proxy connects. */
  public String url() {
    return "http://" + host + ":" + server.port() + "/";
  }

  @Override
  public void check(HttpRequest head, long bodyLength) {
    if (bodyLength > 0) {
      throw new RequestRejectedException(413, "bytes of a body", "a page takes no body");
    }
  }

  @Override
  public void serve(HttpRequest request, byte[] body, HttpExchange exchange) {
    try {
      String target = viewers.admit(request, exchange);
      if (target == null) {
        return;
      }
      if (!request.method().equals("GET")) {
        exchange.answer(405, "use GET");
        return;
      }
      URI uri = new URI(target);
      answer(uri.getPath(), QueryParameters.parse(uri.getRawQuery()), exchange);
    } catch (IllegalArgumentException e) {
      exchange.answer(400, Objects.requireNonNullElse(e.getMessage(), e.toString()));
    } catch (URISyntaxException e) {
      exchange.answer(400, "the path is not one of a URL");
    }
  }

  private void answer(String path, QueryParameters query, HttpExchange exchange) {
    switch (path) {
      case "/job" -> exchange.answer(200, JSON_HEADERS, jobInfo.json());
      case "/events" -> {
        long from = query.has("from") ? query.number("from") : 0;
        if (from < 0) {
          throw new IllegalArgumentException("from=" + from + " is below 0");
        }
        eventPolls.answer(from, exchange);
      }
      case "/log" -> answerLog(LogRequest.of(query::textOrEmpty), exchange);
      case "/metrics" -> answerMetrics(exchange);
      default -> answerFile(path, exchange);
    }
  }

  /**
   * Sends the whole file. Does not support {@code If-None-Match}, because YARN's proxy does not
   * pass it.
   */
  private void answerFile(String path, HttpExchange exchange) {
    PageFile file = files.at(path);
    if (file == null) {
      exchange.answer(404, "the page has no such file");
    } else {
      exchange.answer(200, headers(file.type()), file.content());
    }
  }

  private static Map<String, String> headers(String type) {
    Map<String, String> headers = new LinkedHashMap<>(PageFiles.headers());
    headers.put("Content-Type", type);
    return headers;
  }

  /** Returns true if a request for events is held, or its answer is not sent yet. */
  public boolean hasWaitingViewers() {
    return eventPolls.hasWaitingViewers();
  }

  private void answerLog(LogRequest request, HttpExchange exchange) {
    if (runningLogs == null) {
      runningLogs = new RunningLogs(jobInfo.application(), events, server.deadlines());
    }
    runningLogs.answer(request, exchange);
  }

  private void answerMetrics(HttpExchange exchange) {
    MetricsPage page = metricsPage;
    if (page == null) {
      page =
          new MetricsPage(
              jobInfo.application(),
              events,
              eventReader,
              InstantSource.system(),
              server.deadlines());
      metricsPage = page;
    }
    exchange.connection().park();
    page.request(
        new MetricsPage.MetricsCallback() {
          @Override
          public void succeeded(String text) {
            exchange.answer(200, headers(PrometheusText.CONTENT_TYPE), text);
          }

          @Override
          public void failed(Throwable why) {
            LOG.warn("The job's metrics cannot be reported", why);
            exchange.answer(503, UNREADABLE);
          }
        });
  }

  @Override
  public void close() {
    server.close();
  }
}
