package io.tony.am.page;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tony.config.TonyConfig;
import io.tony.event.TaskFact;
import io.tony.eventlog.EventJson;
import io.tony.logs.LogContentsTest;
import io.tony.logs.LogPiece;
import io.tony.model.PortRange;
import io.tony.model.TaskId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/** What the page of a job that runs answers of its tasks' logs, which their node has. */
public class JobPageLogTest {
  private static final String CONTAINER = "container_1_0002_01_000002";
  private static final JobInfo ABOUT =
      new JobInfo(
          "application_1_2", "nightly", "alice", "default", "http://rm/app", "http://p/", "");

  @Rule public final Timeout limit = Timeout.seconds(60);

  private final HttpClient client = HttpClient.newHttpClient();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch held = new CountDownLatch(2);
  private final CountDownLatch go = new CountDownLatch(1);
  private volatile boolean holds;
  private volatile int status = 200;
  private volatile String file = "";
  private HttpServer node;
  private JobPage page;

  private final EventSource events =
      new EventSource() {
        @Override
        public Excerpt excerpt(long from) {
          int first = (int) Math.min(from, lines.size());
          return new Excerpt(first, lines.subList(first, lines.size()), false);
        }

        @Override
        public Optional<Excerpt> excerptInMemory(long from) {
          return Optional.of(excerpt(from));
        }

        @Override
        public int masterAttempt() {
          return 1;
        }

        @Override
        public boolean hasNews(long from) {
          return from != lines.size();
        }
      };

  @Before
  public void serve() throws Exception {
    node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    node.createContext("/", this::answer);
    node.setExecutor(threads);
    node.start();
    Configuration conf = new Configuration(false);
    conf.set(YarnConfiguration.PROXY_ADDRESS, "localhost:8088");
    page =
        JobPage.serve(
            new ProxiedViewers(conf, TonyConfig.builder().build(), ABOUT),
            "localhost",
            PortRange.ANY,
            ABOUT,
            events,
            Duration.ofMinutes(2));
    lines.add("{\"v\":1}");
    allocated(CONTAINER);
  }

  @After
  public void stop() {
    go.countDown();
    page.close();
    node.stop(0);
    threads.shutdownNow();
  }

  /** As a NodeManager does: a status, or the last bytes of the file. */
  private void answer(HttpExchange exchange) throws IOException {
    asked.add(exchange.getRequestURI().getPath());
    if (holds) {
      held.countDown();
      try {
        go.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    if (status != 200) {
      exchange.getResponseHeaders().add("Location", "http://127.0.0.1:1/");
      exchange.sendResponseHeaders(status, -1);
    } else {
      String query = exchange.getRequestURI().getQuery();
      int bytes = Integer.parseInt(query.substring("size=-".length()));
      String last = file.substring(Math.max(0, file.length() - bytes));
      byte[] body = LogContentsTest.sent(file.length(), last).getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
    exchange.close();
  }

  private void allocated(String container) {
    String log =
        "http://127.0.0.1:" + node.getAddress().getPort() + "/node/containerlogs/" + container;
    lines.add(
        EventJson.write(
            new TaskFact.Allocated(new TaskId("worker", 0), container, "node", log + "/alice")
                .toEvent(Instant.EPOCH, 0)));
  }

  private HttpRequest request(String path) {
    return HttpRequest.newBuilder(URI.create(page.url() + path)).build();
  }

  private static String log(String container, int event, String more) {
    return "log?container=" + container + "&event=" + event + "&file=stderr" + more;
  }

  private JsonNode get(String path) throws Exception {
    HttpResponse<String> answer = client.send(request(path), BodyHandlers.ofString());
    assertEquals(answer.body(), 200, answer.statusCode());
    assertEquals(
        "application/json; charset=utf-8", answer.headers().firstValue("Content-Type").get());
    return new ObjectMapper().readTree(answer.body());
  }

  private int status(String path) throws Exception {
    return client.send(request(path), BodyHandlers.ofString()).statusCode();
  }

  @Test
  public void shouldShowTheLastOfWhatATaskWritesAndThenWhatFollows() throws Exception {
    file = "x".repeat(100_000) + "\nthe <end> \u001b\"";
    JsonNode last = get(log(CONTAINER, 1, ""));
    assertEquals(List.of("/ws/v1/node/containerlogs/" + CONTAINER + "/stderr"), asked);
    assertEquals(file.length(), last.get("length").asInt());
    assertEquals(file.length(), last.get("end").asInt());
    assertEquals(file.length() - LogPiece.MAX_BYTES, last.get("begin").asInt());
    assertEquals(file.substring(file.length() - LogPiece.MAX_BYTES), last.get("text").asText());
    assertTrue(last.get("pause").asInt() > 0);

    JsonNode nothing = get(log(CONTAINER, 1, "&from=" + file.length()));
    assertEquals("", nothing.get("text").asText());
    assertEquals(file.length(), nothing.get("end").asInt());
    String begun = file;
    int before = begun.length();
    file = begun + "more\n";
    JsonNode more = get(log(CONTAINER, 1, "&from=" + before));
    assertEquals("more\n", more.get("text").asText());
    assertEquals(before, more.get("begin").asInt());
    assertEquals(file.length(), more.get("end").asInt());
  }

  @Test
  public void shouldShowALongFileInPieces() throws Exception {
    file = "0123456789".repeat(20_000);
    StringBuilder all = new StringBuilder();
    JsonNode piece;
    do {
      piece = get(log(CONTAINER, 1, "&from=" + all.length()));
      assertTrue(piece.get("text").asText().length() <= LogPiece.MAX_BYTES);
      all.append(piece.get("text").asText());
    } while (piece.get("pause").asInt() == 0);
    assertEquals(file, all.toString());
  }

  @Test
  public void shouldAskOnlyForContainersThatTheLogNames() throws Exception {
    String others = "container_1_0003_01_000002";
    allocated(others); // the log of another job would be readable, too
    for (String path :
        List.of(
            log(others, 2, ""),
            log("container_1_0002_01_000009", 1, ""),
            log(CONTAINER, 0, ""),
            log(CONTAINER, 2, ""),
            log(CONTAINER, 99, ""))) {
      JsonNode answer = get(path);
      assertEquals("This job has no such container.", answer.get("why").asText());
      assertFalse(path, answer.has("pause"));
    }
    for (String wrong :
        List.of(
            "log",
            log("x", 1, ""),
            log(CONTAINER + "%2F..", 1, ""),
            log(CONTAINER, -1, ""),
            log(CONTAINER, 1, "&from=x"),
            log(CONTAINER, 1, "&file=am.log"))) {
      assertEquals(wrong, 400, status(wrong));
    }
    assertEquals(List.of(), asked);
  }

  @Test
  public void shouldSayWhyThereIsNone() throws Exception {
    status = 404;
    JsonNode missing = get(log(CONTAINER, 1, ""));
    assertEquals("Its node has no stderr of it now.", missing.get("why").asText());
    assertTrue("it may come", missing.get("pause").asInt() > 0);
    status = 307; // to the log server, which is followed by nobody
    assertEquals(missing, get(log(CONTAINER, 1, "")));
    status = 500;
    String broken = get(log(CONTAINER, 1, "")).get("why").asText();
    assertTrue(broken, broken.startsWith("Its node does not give stderr now: "));
  }

  @Test
  public void shouldNameTheCommandWhereANodeWantsALogin() throws Exception {
    for (int refusal : List.of(401, 403)) {
      status = refusal;
      JsonNode answer = get(log(CONTAINER, 1, ""));
      String why = answer.get("why").asText();
      assertTrue(why, why.endsWith("This command shows it: tony logs application_1_2 worker:0"));
      assertFalse(answer.has("pause"));
    }
  }

  /** Six wait for a node that does not answer; all others are served meanwhile. */
  @Test
  public void shouldLetNobodyElseWaitForANode() throws Exception {
    holds = true;
    List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
    BlockingQueue<HttpResponse<String>> answers = new LinkedBlockingQueue<>();
    for (int i = 0; i < 20; i++) {
      all.add(
          client
              .sendAsync(request(log(CONTAINER, 1, "")), BodyHandlers.ofString())
              .whenComplete((answer, error) -> answers.add(answer)));
    }
    for (int i = 0; i < 20 - RunningLogs.MAX_REQUESTS; i++) {
      assertEquals("{\"pause\":2000}", answers.take().body());
    }
    held.await();
    assertEquals(200, status("job"));
    assertEquals(200, status("events"));
    assertEquals("two are asked at a time", 2, asked.size());

    go.countDown();
    for (CompletableFuture<HttpResponse<String>> one : all) {
      assertEquals(200, one.get().statusCode());
    }
    assertEquals("", get(log(CONTAINER, 1, "")).get("text").asText());
  }

  /** Asks and does not read the answer. */
  private Socket call(String path) throws Exception {
    URI address = URI.create(page.url() + path);
    Socket caller = new Socket("localhost", address.getPort());
    String head = "GET /" + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    caller.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    return caller;
  }

  /** Returns when the page has heard what was sent to it before: it accepts, and then it reads. */
  private void awaitHeard() throws Exception {
    assertEquals(200, status("job"));
    assertEquals(200, status("job"));
  }

  @Test
  public void shouldReadNothingForCallersWhoHaveGone() throws Exception {
    holds = true;
    List<Socket> callers = new ArrayList<>();
    for (int i = 0; i < RunningLogs.MAX_REQUESTS; i++) {
      callers.add(call(log(CONTAINER, 1, "")));
    }
    awaitHeard();
    held.await();
    assertEquals("{\"pause\":2000}", get(log(CONTAINER, 1, "")).toString());

    for (Socket caller : callers) {
      caller.close();
    }
    awaitHeard();
    file = "the end";
    try (Socket next = call(log(CONTAINER, 1, ""))) {
      awaitHeard();
      go.countDown();
      String answer = new String(next.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(answer, answer.contains("\"text\":\"the end\""));
    }
    assertEquals("the two that were under way, and this one", 3, asked.size());
  }
}
