package io.tony.azkaban.viewer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import azkaban.utils.JSONUtils;
import com.sun.net.httpserver.HttpExchange;
import io.tony.azkaban.viewer.StandInExecutor.Attempt;
import io.tony.azkaban.viewer.StandInExecutor.Login;
import java.net.Authenticator;
import java.net.PasswordAuthentication;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** What the servlet tells of a job whose log Azkaban has lost, over real connections. */
public final class HistoryFallbackTest {
  private static final String APPLICATION = "application_1795279724695_0001";
  private static final String QUERY = StandInExecutor.PARAMETERS + "&attempt=0&from=0";

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Rule public final Timeout limit = Timeout.seconds(60);

  private final HttpClient client = HttpClient.newHttpClient();
  private final StandInExecutor azkaban = new StandInExecutor(true);
  private StandInHistory history;
  private ViewerHost host;
  private URI root;

  @Before
  public void install() throws Exception {
    history = new StandInHistory();
    azkaban.add(
        new Attempt(
            folder.newFile().toPath(), "FAILED", BrowserTest.START, BrowserTest.START + 60_000));
    start("tony.history.url=" + history.address() + "/");
  }

  private void start(String option) throws Exception {
    Path plugin = folder.newFolder().toPath().resolve("tony");
    Files.createDirectories(plugin.resolve("lib"));
    Path conf = Files.createDirectories(plugin.resolve("conf")).resolve("plugin.properties");
    Files.copy(Path.of(System.getProperty("viewer.properties")), conf);
    Files.writeString(conf, "\n" + option + "\n", StandardOpenOption.APPEND);
    host = new ViewerHost("/azkaban", plugin.getParent());
    host.serve("/executor", azkaban);
    root = host.start();
  }

  @After
  public void stop() throws Exception {
    host.stop();
    history.close();
  }

  private HttpRequest request(String user, String query) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(root + "/tony/recalled?" + query));
    if (user != null) {
      request.header("Cookie", "azkaban.browser.session.id=" + host.login(user));
    }
    return request.build();
  }

  private HttpResponse<String> as(String user, String query) throws Exception {
    return client.send(request(user, query), BodyHandlers.ofString());
  }

  private Map<?, ?> told(String user) throws Exception {
    HttpResponse<String> answer = as(user, QUERY);
    assertEquals(answer.body(), 200, answer.statusCode());
    assertEquals(
        "application/json; charset=utf-8", answer.headers().firstValue("Content-Type").orElse(""));
    assertEquals("no-store", answer.headers().firstValue("Cache-Control").orElse(""));
    return (Map<?, ?>) JSONUtils.parseJSONFromString(answer.body());
  }

  private String why(String user) throws Exception {
    Map<?, ?> answer = told(user);
    assertFalse(answer.toString(), answer.containsKey("told"));
    assertTrue(
        answer.toString(),
        answer.get("link").toString().startsWith(history.address() + "/?flow=flow&job="));
    return answer.get("why").toString();
  }

  @Test
  public void shouldTellWhatTheHistoryHasOfTheAttempt() throws Exception {
    history.add(APPLICATION);
    history.tell(List.of("{\"type\":\"AM_STARTED\"}", "null", "{}"), true);

    Map<?, ?> answer = told("ada");

    assertEquals(
        Map.of("application", APPLICATION, "user", "ada", "queue", "research"), answer.get("job"));
    assertEquals(history.address() + "/jobs/" + APPLICATION + "@ada/", answer.get("link"));
    Map<?, ?> events = (Map<?, ?>) answer.get("told");
    assertEquals(2, ((List<?>) events.get("events")).size());
    assertEquals(
        Map.of(
            "flow", "flow",
            "job", "nightly:train",
            "execution", "17",
            "azkabanAttempt", "0",
            "since", since(),
            "until", until(),
            "limit", "20",
            "user.name", "ada"),
        history.requests.get(0).query());
    assertEquals(Map.of("from", "0", "user.name", "ada"), history.requests.get(1).query());

    HttpResponse<String> next = as("ada", QUERY.replace("from=0", "from=2"));
    assertTrue(next.body(), next.body().contains("\"from\":2,\"finished\":true"));
  }

  private static String since() {
    return Instant.ofEpochMilli(BrowserTest.START - 600_000).toString();
  }

  private static String until() {
    return Instant.ofEpochMilli(BrowserTest.START + 660_000).toString();
  }

  @Test
  public void shouldAskNothingForWhomAzkabanRefuses() throws Exception {
    history.add(APPLICATION);
    Map<Login, Integer> statuses =
        Map.of(Login.EXPIRED, 401, Login.PAGE, 401, Login.DENIED, 403, Login.BROKEN, 503);
    for (Map.Entry<Login, Integer> one : statuses.entrySet()) {
      azkaban.login = one.getKey();
      HttpResponse<String> answer = as("ada", QUERY);
      assertEquals(one.getKey().name(), (int) one.getValue(), answer.statusCode());
      assertEquals(
          "text/plain; charset=utf-8", answer.headers().firstValue("Content-Type").orElse(""));
      assertFalse(answer.body(), answer.body().contains("<"));
    }
    azkaban.login = Login.VALID;
    assertEquals(
        "no execution of Azkaban's", 403, as("ada", QUERY.replace("17", "18")).statusCode());
    assertEquals("no such job", 403, as("ada", QUERY.replace("train", "prepar")).statusCode());
    assertEquals(
        "no such attempt", 403, as("ada", QUERY.replace("attempt=0", "attempt=1")).statusCode());
    assertEquals("Azkaban does not name the user of this request.", as(null, QUERY).body());
    assertEquals(List.of(), history.requests);
  }

  @Test
  public void shouldShowAReaderWhatTheHistoryShowsToThatUserAlone() throws Exception {
    history.add(APPLICATION);
    String strange = "m & user.name=ada#/../é";

    assertEquals("The history has no such job that mallory may see.", why("mallory"));
    told(strange);

    assertEquals("mallory", history.requests.get(0).query().get("user.name"));
    assertEquals(strange, history.requests.get(1).query().get("user.name"));
  }

  @Test
  public void shouldTakeNoAddressFromTheReader() throws Exception {
    for (String wrong :
        List.of(
            "execid=17",
            "execid=x&jobid=a&attempt=0&from=0",
            QUERY.replace("from=0", "from=-1"),
            QUERY.replace("from=0", "from=http://evil/"),
            QUERY + "x")) {
      assertEquals(wrong, 400, as("ada", wrong).statusCode());
    }
    as("ada", QUERY + "&tony.history.url=http://evil/&user.name=root&ajax=cancelFlow&session.id=x");
    for (StandInHistory.Request request : history.requests) {
      assertEquals("/jobs.json", request.path());
      assertEquals("ada", request.query().get("user.name"));
    }
    assertEquals(1, history.requests.size());
  }

  @Test
  public void shouldTakeNoJobForAnotherOne() throws Exception {
    history.add("application_1_1", "project", "Digits");
    history.add("application_1_2", "azkabanAttempt", 1);
    history.add("application_1_3", "job", "train");
    history.add("application_1_4", "flow", "other");
    history.add("../../application_1_5");
    assertEquals("The history has no such job that ada may see.", why("ada"));

    history.add(APPLICATION, "project", "3"); // as under Azkaban 2.5
    assertTrue(told("ada").containsKey("told"));

    history.add("application_1_6", "user", "mallory");
    assertEquals("The history has more than one log that says it is of this attempt.", why("ada"));

    for (int i = 0; i < 20; i++) {
      history.add("application_2_" + i, "project", "x", "user", "mallory");
    }
    assertEquals("The history has too many logs that say they are of this attempt.", why("ada"));
  }

  @Test
  public void shouldSayWhereTheHistoryIsWhenItWantsALogin() throws Exception {
    CountDownLatch elsewhere = new CountDownLatch(1);
    Authenticator.setDefault(
        new Authenticator() {
          @Override
          protected PasswordAuthentication getPasswordAuthentication() {
            return new PasswordAuthentication("azkaban", "secret".toCharArray());
          }
        });
    try (StandInHistory other = new StandInHistory()) {
      other.trouble = exchange -> elsewhere.countDown();
      for (int status : List.of(401, 403, 302)) {
        history.requests.clear();
        history.trouble =
            exchange -> {
              exchange.getResponseHeaders().add("WWW-Authenticate", "Basic realm=\"x\"");
              exchange.getResponseHeaders().add("Location", other.address());
              exchange.getResponseHeaders().add("Set-Cookie", "hadoop.auth=ada");
              StandInHistory.answer(exchange, status, "");
            };
        assertEquals("The history wants to know by itself who you are.", why("ada"));
        assertEquals("asked once", 1, history.requests.size());
        assertEquals(Set.of("Host"), history.requests.get(0).headers().keySet());
      }
      assertEquals("no redirect is followed", 1, elsewhere.getCount());
    } finally {
      Authenticator.setDefault(null);
    }
  }

  @Test
  public void shouldSayThatTheHistoryDoesNotAnswer() throws Exception {
    for (String wrong : List.of("<html>", "[]", "{\"jobs\":7")) {
      history.trouble = exchange -> StandInHistory.answer(exchange, 200, wrong);
      assertDoesNotAnswer();
    }
    history.trouble = exchange -> StandInHistory.answer(exchange, 500, "oops");
    assertDoesNotAnswer();
    history.trouble = HttpExchange::close;
    assertDoesNotAnswer();
    history.trouble = exchange -> StandInHistory.answer(exchange, 404, "oops");
    assertEquals("The history answered with HTTP status 404.", why("ada"));
  }

  /** So that the page asks again, and its reader may ask at the history itself. */
  private void assertDoesNotAnswer() throws Exception {
    HttpResponse<String> answer = as("ada", QUERY);
    assertEquals(503, answer.statusCode());
    assertTrue(answer.body(), answer.body().startsWith("The history does not answer now ("));
    assertTrue(answer.body(), answer.body().contains(history.address() + "/?flow=flow&job="));
  }

  @Test
  public void shouldHoldFewThreadsOfTheWebServer() throws Exception {
    CountDownLatch arrived = new CountDownLatch(HistoryFallback.MAX_CONCURRENT_REQUESTS);
    CountDownLatch released = new CountDownLatch(1);
    history.trouble =
        exchange -> {
          arrived.countDown();
          try {
            released.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          StandInHistory.answer(exchange, 404, "");
        };
    List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
    for (int i = 0; i < HistoryFallback.MAX_CONCURRENT_REQUESTS; i++) {
      waiting.add(client.sendAsync(request("ada", QUERY), BodyHandlers.ofString()));
    }
    arrived.await();

    HttpResponse<String> another = as("bob", QUERY);
    assertEquals(503, another.statusCode());
    assertEquals("Too many pages ask the history now.", another.body());

    released.countDown();
    for (CompletableFuture<HttpResponse<String>> one : waiting) {
      assertEquals(200, one.get().statusCode());
    }
    assertEquals("there is room again", 200, as("bob", QUERY).statusCode());
  }

  @Test
  public void shouldTellNothingWhereNoHistoryIsNamed() throws Exception {
    host.stop();
    start("tony.history.url=");
    assertEquals("{}", as("ada", QUERY).body());
    assertEquals(List.of(), history.requests);
  }
}
