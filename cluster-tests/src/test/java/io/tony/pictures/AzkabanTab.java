package io.tony.pictures;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tony.event.JobFact;
import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import io.tony.page.PageFile;
import io.tony.page.PageFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Serves the TonY tab of a job that runs in Azkaban, and answers the tab's requests as Azkaban's
 * {@code /executor} does.
 */
final class AzkabanTab implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final DateTimeFormatter LOG_TIME =
      DateTimeFormatter.ofPattern("dd-MM-yyyy HH:mm:ss 'UTC'").withZone(ZoneOffset.UTC);

  /** Time from the start of Azkaban's job to the submission to YARN. */
  private static final Duration CLIENT_START = Duration.ofMillis(2_700);

  private final PageFiles files = PageFiles.ofJob();
  private final ExampleJob job;
  private final String log;
  private final HttpServer server;

  AzkabanTab(ExampleJob job) throws IOException {
    this.job = job;
    log = logOf(job);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/tony/", this::answerFile);
    server.createContext("/executor", this::answerRequest);
    server.start();
  }

  /** The job's log in Azkaban, in ASCII, so that an offset in bytes is one in characters. */
  private static String logOf(ExampleJob job) {
    String application = job.application();
    JobFact.Submitted submitted =
        new JobFact.Submitted(
            application, job.description().queue(), "http://rm:8088/proxy/" + application + "/");
    StringBuilder lines = new StringBuilder(line(job, submitted.toEvent(job.submitted(), 0)));
    job.events().forEach(event -> lines.append(line(job, withoutOptions(event))));
    return lines.toString();
  }

  private static String line(ExampleJob job, JobEvent event) {
    StringBuilder json = new StringBuilder();
    EventJson.write(event)
        .chars()
        .forEach(unit -> json.append(unit < 128 ? "" + (char) unit : "\\u%04x".formatted(unit)));
    return "%s %s INFO - tony-events [%s]\n"
        .formatted(LOG_TIME.format(event.time()), job.description().step().job(), json);
  }

  /** The event as the client prints it: Azkaban's log does not contain the job's options. */
  private static JobEvent withoutOptions(JobEvent event) {
    Map<String, String> details = new LinkedHashMap<>(event.details());
    details.keySet().removeIf(name -> name.startsWith("option."));
    return new JobEvent(event.time(), event.type(), event.session(), event.task(), details);
  }

  String url() {
    return "http://localhost:%d/tony/?execid=%s&jobid=%s"
        .formatted(
            server.getAddress().getPort(),
            job.description().step().execution(),
            job.description().step().job());
  }

  private void answerFile(HttpExchange exchange) throws IOException {
    PageFile file = files.at(exchange.getRequestURI().getPath().substring("/tony".length()));
    if (file == null) {
      answer(exchange, 404, "text/plain", new byte[0]);
    } else {
      answer(exchange, 200, file.type(), file.content());
    }
  }

  private void answerRequest(HttpExchange exchange) throws IOException {
    Map<String, String> query = query(exchange);
    Object answer = query.get("ajax").equals("fetchExecJobLogs") ? piece(query) : flow();
    answer(exchange, 200, "application/json", JSON.writeValueAsBytes(answer));
  }

  private Map<String, Object> piece(Map<String, String> query) {
    int begin = Math.min(Integer.parseInt(query.get("offset")), log.length());
    int end = Math.min(begin + Integer.parseInt(query.get("length")), log.length());
    return Map.of("offset", begin, "length", end - begin, "data", log.substring(begin, end));
  }

  private Map<String, Object> flow() {
    Instant start = job.submitted().minus(CLIENT_START);
    Map<String, Object> node =
        Map.of(
            "id",
            job.description().step().job(),
            "status",
            "RUNNING",
            "attempt",
            0,
            "startTime",
            start.toEpochMilli(),
            "endTime",
            -1,
            "updateTime",
            start.toEpochMilli());
    return Map.of("status", "RUNNING", "nodes", List.of(node));
  }

  private static Map<String, String> query(HttpExchange exchange) {
    Map<String, String> query = new HashMap<>();
    for (String pair : exchange.getRequestURI().getRawQuery().split("&", -1)) {
      String[] parts = pair.split("=", 2);
      query.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
    }
    return query;
  }

  private static void answer(HttpExchange exchange, int status, String type, byte[] content)
      throws IOException {
    PageFiles.headers().forEach(exchange.getResponseHeaders()::set);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, content.length == 0 ? -1 : content.length);
    exchange.getResponseBody().write(content);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
