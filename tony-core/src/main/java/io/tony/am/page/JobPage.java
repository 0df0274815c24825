package io.tony.am.page;

import io.tony.am.serve.CappedServer;
import io.tony.am.serve.Caps;
import io.tony.am.serve.HttpConversation;
import io.tony.am.serve.HttpRequest;
import io.tony.am.serve.Listening;
import io.tony.am.serve.Query;
import io.tony.am.serve.Refusal;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The job's page, to which YARN's link leads while the job runs: the files of the page, what it is
 * about ({@code job}), the events from a number on ({@code events?from=N}), for which a caller
 * waits some seconds, what a task writes ({@code log}), and figures for a monitoring system ({@code
 * metrics}). {@link Viewers} says who gets them.
 */
public final class JobPage implements AutoCloseable, HttpConversation.Service {
  private static final Logger LOG = LoggerFactory.getLogger(JobPage.class);

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Those who wait for news, for a log or for events that are not at hand. */
  private static final int MOST_WAITING = 20;

  /** One answer has a MiB of events. */
  private static final Caps CAPS =
      new Caps(100, MOST_WAITING, 32L * 1024 * 1024, Duration.ofSeconds(30));

  static final Map<String, String> JSON = headers("application/json; charset=utf-8");

  static final String UNREADABLE = "the event log cannot be read now";

  private final CappedServer server;
  private final String host;
  private final About about;
  private final Viewers viewers;
  private final Events events;
  private final EventReading reading;
  private final EventAnswers answers;
  private final PageFiles files;
  // Made by the server's thread, when somebody asks first.
  private Scrape scrape;
  private RunningLogs logs;

  private JobPage(
      Listening at, String host, About about, Viewers viewers, Events events, Duration patience)
      throws IOException {
    this.host = host;
    this.about = about;
    this.viewers = viewers;
    this.events = events;
    this.files = PageFiles.ofJob();
    this.server =
        CappedServer.open(at, "job-page", CAPS, caller -> new HttpConversation(caller, this));
    this.reading = new EventReading(events, server.alarms());
    this.answers = new EventAnswers(events, reading, patience, server.alarms());
  }

  /**
   * Serves on a free port of this host.
   *
   * @throws io.tony.model.NoFreePort when the range has none
   */
  static JobPage serve(Viewers viewers, String host, PortRange ports, About about, Events events)
      throws IOException {
    return serve(viewers, host, ports, about, events, PATIENCE);
  }

  /** {@code patience} is how long a caller waits for news at most. */
  static JobPage serve(
      Viewers viewers, String host, PortRange ports, About about, Events events, Duration patience)
      throws IOException {
    JobPage page =
        new JobPage(
            new Listening(host, ports, "the job's page"), host, about, viewers, events, patience);
    page.server.start();
    return page;
  }

  /** Where YARN's proxy finds it. */
  public String url() {
    return "http://" + host + ":" + server.port() + "/";
  }

  @Override
  public void check(HttpRequest head, long bodyLength) {
    if (bodyLength > 0) {
      throw new Refusal(413, "bytes of a body", "a page takes no body");
    }
  }

  @Override
  public void serve(HttpRequest request, byte[] body, HttpConversation conversation) {
    try {
      String target = viewers.admit(request, conversation);
      if (target == null) {
        return;
      }
      if (!request.method().equals("GET")) {
        conversation.answer(405, "use GET");
        return;
      }
      URI uri = new URI(target);
      answer(uri.getPath(), Query.parse(uri.getRawQuery()), conversation);
    } catch (IllegalArgumentException e) {
      conversation.answer(400, e.getMessage());
    } catch (URISyntaxException e) {
      conversation.answer(400, "the path is not one of a URL");
    }
  }

  private void answer(String path, Query query, HttpConversation conversation) {
    switch (path) {
      case "/job" -> conversation.answer(200, JSON, about.json());
      case "/events" -> {
        long from = query.has("from") ? query.number("from") : 0;
        if (from < 0) {
          throw new IllegalArgumentException("from=" + from + " is below 0");
        }
        answers.tell(from, conversation);
      }
      case "/log" -> tellLog(LogRequest.of(query::any), conversation);
      case "/metrics" -> tellMetrics(conversation);
      default -> answerFile(path, conversation);
    }
  }

  /** Whole each time: YARN's proxy passes no {@code If-None-Match}. */
  private void answerFile(String path, HttpConversation conversation) {
    PageFile file = files.at(path);
    if (file == null) {
      conversation.answer(404, "the page has no such file");
    } else {
      conversation.answer(200, headers(file.type()), file.content());
    }
  }

  private static Map<String, String> headers(String type) {
    Map<String, String> headers = new LinkedHashMap<>(PageFiles.headers());
    headers.put("Content-Type", type);
    return headers;
  }

  /** Whether somebody waits for news, or has not taken them yet. */
  public boolean awaited() {
    return answers.awaited();
  }

  private void tellLog(LogRequest request, HttpConversation conversation) {
    if (logs == null) {
      logs = new RunningLogs(about.application(), events, server.alarms());
    }
    logs.ask(request, conversation);
  }

  private void tellMetrics(HttpConversation conversation) {
    if (scrape == null) {
      scrape =
          new Scrape(about.application(), events, reading, InstantSource.system(), server.alarms());
    }
    conversation.caller().settle();
    scrape.ask(
        new Scrape.Asker() {
          @Override
          public void told(String text) {
            conversation.answer(200, headers(PrometheusText.TYPE), text);
          }

          @Override
          public void failed(Throwable why) {
            LOG.warn("The job's metrics cannot be told", why);
            conversation.answer(503, UNREADABLE);
          }
        });
  }

  @Override
  public void close() {
    server.close();
  }
}
