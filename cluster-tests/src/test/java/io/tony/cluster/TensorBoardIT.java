package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.junit.Test;

/** The way to a job's TensorBoard: what is told of it, and where YARN's link leads. */
public class TensorBoardIT extends ClusterTest {
  private static final String TOLD = "TensorBoard: ";
  private static final Duration LINKED_WITHIN = Duration.ofMinutes(1);

  private static final String JOB_PAGE = "the job's page";

  private static final Pattern FORWARD =
      Pattern.compile("<meta http-equiv=\"refresh\" content=\"0; url=([^\"]+)\">");

  private final HttpClient client =
      HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();

  private String get(String url) throws IOException, InterruptedException {
    HttpResponse<String> response =
        client.send(
            HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
    assertEquals(url, 200, response.statusCode());
    return response.body().strip();
  }

  /** The URL at the end of the line. */
  private static String url(String line) {
    assertTrue(line, line.matches("TensorBoard: http://\\S+"));
    return line.substring(TOLD.length());
  }

  /** Where a browser that opens YARN's link to the application is sent to. */
  private String link(String application) throws IOException, YarnException, InterruptedException {
    String page = get(report(application).getTrackingUrl());
    Matcher forward = FORWARD.matcher(page);
    return forward.find() ? forward.group(1) : page.contains("page.js") ? JOB_PAGE : page;
  }

  /** YARN takes it with the ApplicationMaster's next call, and tells nobody. */
  private void awaitLink(String application, String expected)
      throws IOException, YarnException, InterruptedException {
    long deadline = System.nanoTime() + LINKED_WITHIN.toNanos();
    while (!link(application).equals(expected)) {
      assertTrue(
          "YARN's link leads to " + link(application) + " and not to " + expected,
          System.nanoTime() < deadline);
      Thread.sleep(20);
    }
  }

  private static List<String> urls(String application) throws IOException {
    return events(application, JobEvent.Type.TENSORBOARD).stream()
        .map(event -> event.detail("url"))
        .toList();
  }

  /** The chief shows it itself; with the loss of its executor it moves to another node. */
  @Test
  public void shouldLeadToTheTensorBoardOfTheChiefWhereverItIs() throws Exception {
    Path here = folder.getRoot().toPath();
    write(
        "src/chief.sh",
        """
        until [ -e "$1/listen$TONY_ATTEMPT" ]; do sleep 0.1; done
        mkdir board
        echo "board $TONY_ATTEMPT" > board/index.html
        python3 -m http.server "$TB_PORT" --directory board &
        until [ -e "$1/end" ]; do sleep 0.1; done
        """);
    try (TonyCommand tony =
        submit(
            "-executes",
            "bash chief.sh '" + here + "'",
            "-src_dir",
            "src",
            "-conf",
            "tony.worker.instances=1",
            "-conf",
            "tony.gang.max-lost-restarts=1",
            "-conf",
            "tony.application.tracking-url=tensorboard")) {
      tony.await("1/1 tasks running");
      String application = tony.application();
      awaitLink(application, JOB_PAGE);

      write("listen0", "");
      String first = url(tony.await(TOLD));
      assertEquals("board 0", get(first));
      awaitLink(application, first);
      try (TonyCommand status = tony("status", application)) {
        status.assertExit(0);
        assertTrue(status.text(), status.lines().contains("  TensorBoard: " + first));
      }

      long executor = executors().values().iterator().next();
      ProcessHandle.of(executor).orElseThrow().destroyForcibly();
      tony.await("1/1 tasks running", 2);
      awaitLink(application, JOB_PAGE);

      write("listen1", "");
      String second = url(tony.await(TOLD, 2));
      assertEquals("board 1", get(second));
      assertNotEquals(URI.create(first).getHost(), URI.create(second).getHost());
      awaitLink(application, second);
      String page = report(application).getOriginalTrackingUrl();
      write("end", "");
      tony.assertExit(0);

      assertEquals(List.of(first, second), urls(application));
      assertNotEquals("after the job", page, report(application).getOriginalTrackingUrl());
    }
  }

  /** The job declares the role; its next ApplicationMaster finds it where it was. */
  @Test
  public void shouldLeadToTheTensorBoardThatOutlivesItsMaster() throws Exception {
    Path here = folder.getRoot().toPath();
    try (TonyCommand tony =
        submit(
            "-executes",
            "until [ -e '" + here + "/end' ]; do sleep 0.1; done",
            "-conf",
            "tony.worker.instances=1",
            "-conf",
            "tony.tensorboard.instances=1",
            "-conf",
            "tony.tensorboard.memory=128m",
            "-conf",
            "tony.tensorboard.command=echo board > index.html; exec python3 -m http.server $TB_PORT",
            "-conf",
            "tony.application.tracking-url=tensorboard")) {
      String url = url(tony.await(TOLD));
      String application = tony.application();
      awaitLink(application, url);

      killMaster();
      tony.awaitTakeover(2);
      awaitLink(application, url);

      assertEquals("board", get(url));
      write("end", "");
      tony.assertExit(0); // with the board still up
      assertEquals(List.of(url), urls(application));
    }
  }

  /** A module of TensorBoard's name tells what it is started with. */
  @Test
  public void shouldStartTensorBoardOnTheFolder() throws Exception {
    Path here = folder.getRoot().toPath();
    String logs = here + "/it's $(touch pwned) \"logs\"; `id`";
    write("src/tensorboard/__init__.py", "");
    write(
        "src/tensorboard/main.py",
        """
        import argparse, http.server
        arguments = argparse.ArgumentParser()
        arguments.add_argument("--logdir")
        arguments.add_argument("--port", type=int)
        arguments.add_argument("--bind_all", action="store_true")
        given = arguments.parse_args()

        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(given.logdir.encode())

        http.server.HTTPServer(("" if given.bind_all else "127.0.0.1", given.port), Page).serve_forever()
        """);
    try (TonyCommand tony =
        submit(
            "-executes",
            "[ \"$TB_LOG_DIR\" != '' ] && [ \"$TB_PORT\" = '' ]"
                + " && until [ -e '"
                + here
                + "/end' ]; do sleep 0.1; done",
            "-src_dir",
            "src",
            "-conf",
            "tony.worker.instances=1",
            "-conf",
            "tony.application.tensorboard-log-dir=" + logs,
            "-conf",
            "tony.tensorboard.memory=128m",
            "-output_file",
            "outputs.json")) {
      String url = url(tony.await(TOLD));
      assertEquals(logs, get(url));
      write("end", "");
      tony.assertExit(0);
      String outputs = Files.readString(folder.getRoot().toPath().resolve("outputs.json"));
      assertTrue(outputs, outputs.contains("\"tony.tensorboard.url\":\"" + url + "\""));
      String application = tony.application();
      assertEquals("the link is YARN's own by default", List.of(url), urls(application));
      assertNotEquals(url, report(application).getOriginalTrackingUrl());
    }
  }
}
