package io.tony.testing;

import static org.junit.Assert.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.rules.ExternalResource;
import org.junit.rules.TemporaryFolder;

/**
 * A headless Chromium browser, controlled with the commands of W3C WebDriver that the tests need.
 * To be used as a class rule, so that all tests of a class share one browser. The script {@code
 * src-test-resources/browser/setup}, whose path is in the system property {@code browser.setup},
 * installs the browser.
 */
public final class Chromium extends ExternalResource {
  private static final Pattern STARTED = Pattern.compile("started successfully on port (\\d+)");

  /** Maximum wait for a state of the page. */
  private static final int LIMIT_MILLIS = 60_000;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient client = HttpClient.newHttpClient();
  private final TemporaryFolder profile = new TemporaryFolder();
  private @Nullable Process driver; // null before the start
  private String session = ""; // empty before the start

  @Override
  protected void before() throws IOException, InterruptedException {
    Process installed =
        new ProcessBuilder(System.getProperty("browser.setup"))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<String> paths =
        new String(installed.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();
    assertEquals("browser/setup", 0, installed.waitFor());

    profile.create();
    driver =
        new ProcessBuilder(paths.get(1), "--port=0")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      session = "http://localhost:" + port(driver);
      session += "/session/" + newSession(paths.get(0)).get("sessionId").asText();
    } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
      driver.destroy();
      throw e;
    }
  }

  private JsonNode newSession(String binary) throws IOException, InterruptedException {
    return post(
        "/session",
        Map.of(
            "capabilities",
            Map.of(
                "alwaysMatch",
                Map.of(
                    "timeouts",
                    Map.of("script", LIMIT_MILLIS),
                    "goog:chromeOptions",
                    Map.of("binary", binary, "args", arguments(profile.getRoot())),
                    "goog:loggingPrefs",
                    Map.of("browser", "ALL")))));
  }

  private static List<String> arguments(File profile) {
    return List.of(
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1240,1400",
        "--user-data-dir=" + profile);
  }

  private static int port(Process driver) throws IOException {
    BufferedReader output =
        new BufferedReader(new InputStreamReader(driver.getInputStream(), StandardCharsets.UTF_8));
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      Matcher matcher = STARTED.matcher(line);
      if (matcher.find()) {
        return Integer.parseInt(matcher.group(1));
      }
    }
    throw new IOException("chromedriver ended before it had a port");
  }

  public void open(String address) throws IOException, InterruptedException {
    post("/url", Map.of("url", address));
  }

  /**
   * Waits until a JavaScript expression is true in the page; evaluates it in each animation frame.
   *
   * @param condition the JavaScript expression
   */
  public void await(String condition) throws IOException, InterruptedException {
    post(
        "/execute/async",
        script(
            "const done = arguments[0];"
                + "const look = () => { if ("
                + condition
                + ") { done(); } else { requestAnimationFrame(look); } };"
                + "look();"));
  }

  /** Evaluates a JavaScript expression in the page and returns its value. */
  public JsonNode evaluate(String expression) throws IOException, InterruptedException {
    return post("/execute/sync", script("return " + expression));
  }

  /**
   * Evaluates a JavaScript expression that is a promise, and returns the value that the promise
   * resolves to.
   */
  public JsonNode evaluatePromise(String expression) throws IOException, InterruptedException {
    return post(
        "/execute/async",
        script(
            "const done = arguments[0]; (" + expression + ").then(done, (e) => done(String(e)))"));
  }

  /** Returns the visible text of the first element that matches a CSS selector. */
  public String text(String selector) throws IOException, InterruptedException {
    return get("/element/" + element(selector) + "/text").asText();
  }

  public boolean isShown(String selector) throws IOException, InterruptedException {
    return get("/element/" + element(selector) + "/displayed").asBoolean();
  }

  public void click(String selector) throws IOException, InterruptedException {
    post("/element/" + element(selector) + "/click", Map.of());
  }

  /**
   * Types a text into the field that matches a CSS selector. If it is a list, selects the entry
   * with this text.
   */
  public void type(String selector, String text) throws IOException, InterruptedException {
    post("/element/" + element(selector) + "/value", Map.of("text", text));
  }

  /**
   * Returns the errors and the failed loads of files that the browser has logged since the last
   * call, except for the server's missing icon.
   */
  public List<String> complaints() throws IOException, InterruptedException {
    return post("/se/log", Map.of("type", "browser")).findValues("message").stream()
        .map(JsonNode::asText)
        .filter(message -> !message.contains("/favicon.ico"))
        .toList();
  }

  public void screenshot(Path file) throws IOException, InterruptedException {
    Files.write(file, Base64.getDecoder().decode(get("/screenshot").asText()));
  }

  /**
   * Sends a command of the Chrome DevTools Protocol, such as {@code Emulation.setTimezoneOverride},
   * and returns its result.
   */
  public JsonNode devTools(String command, Map<String, ?> parameters)
      throws IOException, InterruptedException {
    return post("/goog/cdp/execute", Map.of("cmd", command, "params", parameters));
  }

  @Override
  protected void after() {
    try {
      send(HttpRequest.newBuilder(URI.create(session)).DELETE());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      Process started = Objects.requireNonNull(driver);
      started.destroy();
      started.onExit().join();
      profile.delete();
    }
  }

  private String element(String selector) throws IOException, InterruptedException {
    return post("/element", Map.of("using", "css selector", "value", selector))
        .iterator()
        .next()
        .asText();
  }

  private static Map<String, Object> script(String body) {
    return Map.of("script", body, "args", List.of());
  }

  private JsonNode get(String command) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(URI.create(session + command)).GET());
  }

  private JsonNode post(String command, Map<String, ?> body)
      throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(URI.create(session + command))
            .POST(BodyPublishers.ofString(JSON.writeValueAsString(body))));
  }

  private JsonNode send(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> response =
        client.send(
            request.header("Content-Type", "application/json").build(), BodyHandlers.ofString());
    JsonNode value = JSON.readTree(response.body()).path("value");
    if (response.statusCode() != 200) {
      throw new AssertionError(response.uri() + ": " + value.path("message").asText());
    }
    return value;
  }
}
