package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.BeforeClass;
import org.junit.Test;

/** The real Jupyter in a container, used as its pages use it. */
public class FrameworkNotebookIT extends ClusterFlowTest {
  private static final Pattern ID = Pattern.compile("\"id\": \"([^\"]+)\"");
  private static final long ANSWER_SECONDS = 60;

  private static final String EMPTY =
      "{\"cells\": [], \"metadata\": {}, \"nbformat\": 4, \"nbformat_minor\": 5}";

  private final HttpClient http = HttpClient.newHttpClient();
  private final String name = UUID.randomUUID().toString();
  private String link;

  @BeforeClass
  public static void makeEnvironment() throws Exception {
    FrameworkEnvironments.require("jupyter");
  }

  private TonyCommand notebook(String idle) throws Exception {
    Path file = root().resolve("link");
    Files.createDirectories(root().resolve("src"));
    Files.writeString(root().resolve("src/first.ipynb"), EMPTY);
    TonyCommand tony =
        TonyCommand.start(
            cluster(),
            root(),
            TonyCommand.small(
                "notebook",
                List.of(
                        "-link_file=" + file,
                        "-name=" + name,
                        "-memory=1g",
                        "-idle=" + idle,
                        "-src_dir=src",
                        "-python_binary_path=" + FrameworkEnvironments.python("jupyter"))
                    .toArray(String[]::new)));
    tony.await("the notebook is up");
    link = Files.readString(file).strip();
    return tony;
  }

  private String token() {
    return link.substring(link.indexOf('=') + 1);
  }

  private HttpResponse<String> ask(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(link).resolve(path));
  }

  private HttpRequest.Builder withToken(String path) {
    return request(path).header("Authorization", "token " + token());
  }

  private HttpRequest.Builder post(String path) {
    return withToken(path).POST(HttpRequest.BodyPublishers.noBody());
  }

  /** Runs it in a new kernel, until that says the text. */
  private void run(String code, String text) throws Exception {
    HttpResponse<String> kernel = ask(post("/api/kernels"));
    assertEquals(kernel.body(), 201, kernel.statusCode());
    Matcher id = ID.matcher(kernel.body());
    assertTrue(kernel.body(), id.find());
    Said said = new Said(text);
    WebSocket channels =
        http.newWebSocketBuilder()
            .header("Authorization", "token " + token())
            .buildAsync(
                URI.create(
                    URI.create(link)
                        .resolve("/api/kernels/" + id.group(1) + "/channels")
                        .toString()
                        .replace("http:", "ws:")),
                said)
            .get(ANSWER_SECONDS, TimeUnit.SECONDS);
    channels
        .sendText(
            "{\"channel\": \"shell\", \"header\": {\"msg_id\": \"1\", \"msg_type\":"
                + " \"execute_request\", \"username\": \"\", \"session\": \"1\", \"version\":"
                + " \"5.3\"}, \"parent_header\": {}, \"metadata\": {}, \"content\": {\"code\": \""
                + code
                + "\", \"silent\": false}}",
            true)
        .get(ANSWER_SECONDS, TimeUnit.SECONDS);
    said.text.get(ANSWER_SECONDS, TimeUnit.SECONDS);
    channels.abort();
  }

  /** What a kernel says to a page. */
  private static final class Said implements WebSocket.Listener {
    private final String wanted;
    private final StringBuilder all = new StringBuilder();
    private final CompletableFuture<Void> text = new CompletableFuture<>();

    Said(String wanted) {
      this.wanted = wanted;
    }

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      all.append(data);
      if (all.indexOf(wanted) >= 0) {
        text.complete(null);
      }
      socket.request(1);
      return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      text.completeExceptionally(error);
    }
  }

  /** The logs of all containers, which are to be without the token. */
  private String logs(TonyCommand tony) throws IOException, InterruptedException {
    StringBuilder all = new StringBuilder();
    for (Path logs : cluster().containerLogs(tony.application())) {
      try (Stream<Path> files = Files.walk(logs)) {
        for (Path log : files.filter(Files::isRegularFile).toList()) {
          all.append(Files.readString(log, StandardCharsets.UTF_8));
        }
      }
    }
    assertEquals("the token in the logs", -1, all.indexOf(token()));
    return all.toString();
  }

  @Test
  public void shouldRunCodeAndKeepFilesAndEndWhenItIsUnused() throws Exception {
    try (TonyCommand tony = notebook("1h")) {
      assertEquals(403, ask(request("/api/contents")).statusCode());
      String files = ask(withToken("/api/contents")).body();
      assertTrue(files, files.contains("\"path\": \"first.ipynb\""));

      run(
          "import os; open('out.txt', 'w').write('kept'); print(6 * 7, os.environ['JOB_NAME'])",
          "42 notebook");

      // As File > Shut Down does.
      assertEquals(200, ask(post("/api/shutdown")).statusCode());
      tony.assertExit(0);
      tony.await("SUCCEEDED");
      assertTrue("Jupyter's own log", logs(tony).contains("Serving notebooks from"));
    }
    try (TonyCommand tony = notebook("30s")) {
      String kept = ask(withToken("/api/contents/out.txt")).body();
      assertTrue(kept, kept.contains("\"content\": \"kept\""));

      tony.assertExit(0);
      assertTrue(logs(tony).contains("it was unused for 30 s, and ends"));
    }
  }
}
