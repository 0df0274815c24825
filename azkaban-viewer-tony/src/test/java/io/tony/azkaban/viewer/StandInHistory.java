package io.tony.azkaban.viewer;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.codehaus.jackson.map.ObjectMapper;

/**
 * Answers as {@code tony history} does about its jobs; {@code
 * HistoryServerTest.shouldTellAWebServerWhatItsReaderMaySee} holds the real one to the same. Jobs
 * are kept from {@code mallory}.
 */
final class StandInHistory implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** One that it was asked. */
  record Request(String path, Map<String, String> query, Headers headers) {}

  /** What it says instead. */
  interface Trouble {
    void answer(HttpExchange exchange) throws IOException;
  }

  final List<Request> requests = new CopyOnWriteArrayList<>();
  private final List<Map<String, Object>> jobs = new CopyOnWriteArrayList<>();
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private volatile List<String> events = List.of();
  private volatile boolean finished = true;
  volatile Trouble trouble;

  StandInHistory() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  String address() {
    return "http://localhost:" + server.getAddress().getPort();
  }

  /** The job of the execution that {@link StandInExecutor} has, with other fields in turn. */
  void add(String application, Object... others) {
    Map<String, Object> job = new LinkedHashMap<>();
    job.put("application", application);
    job.put("user", "ada");
    job.put("queue", "research");
    job.put("project", "digits");
    job.put("flow", "flow");
    job.put("job", "nightly:train");
    job.put("execution", "17");
    job.put("azkabanAttempt", 0);
    for (int i = 0; i < others.length; i += 2) {
      job.put(others[i].toString(), others[i + 1]);
    }
    jobs.add(job);
  }

  /** In pieces of two. */
  void tell(List<String> all, boolean ended) {
    events = List.copyOf(all);
    finished = ended;
  }

  static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] content = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, content.length == 0 ? -1 : content.length);
    exchange.getResponseBody().write(content);
    exchange.close();
  }

  private void handle(HttpExchange exchange) throws IOException {
    Map<String, String> query = new LinkedHashMap<>();
    String text = exchange.getRequestURI().getRawQuery();
    for (String one : (text == null ? "" : text).split("&", -1)) {
      String[] parts = one.split("=", 2);
      query.put(parts[0], URLDecoder.decode(parts[parts.length - 1], StandardCharsets.UTF_8));
    }
    String path = exchange.getRequestURI().getPath();
    requests.add(new Request(path, query, exchange.getRequestHeaders()));
    if (trouble != null) {
      trouble.answer(exchange);
    } else if (path.equals("/jobs.json")) {
      answer(
          exchange,
          200,
          JSON.writeValueAsString(Map.of("total", seenBy(query).size(), "jobs", seenBy(query))));
    } else if (path.matches("/jobs/application_\\d+_\\d+@ada/events")) {
      answer(exchange, 200, events(Integer.parseInt(query.get("from"))));
    } else {
      answer(exchange, 404, "the history has no such job");
    }
  }

  private List<Map<String, Object>> seenBy(Map<String, String> query) {
    return "mallory".equals(query.get("user.name"))
        ? List.of()
        : jobs.stream()
            .filter(job -> job.get("execution").equals(query.get("execution")))
            .collect(Collectors.toList());
  }

  private String events(int from) {
    List<String> all = new ArrayList<>(events);
    int end = Math.min(all.size(), from + 2);
    boolean whole = end == all.size();
    return "{\"from\":%d,\"finished\":%b,\"status\":\"RUNNING\",\"pause\":%d,\"events\":[%s]}"
        .formatted(
            from,
            whole && finished,
            whole && !finished ? 200 : 0,
            String.join(",", all.subList(from, end)));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
