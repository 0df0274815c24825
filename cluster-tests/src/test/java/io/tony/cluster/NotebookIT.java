package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;
import org.junit.After;
import org.junit.Test;

/**
 * {@code tony notebook}, with a small web server in the place of Jupyter (of which {@code
 * FrameworkNotebookIT} has the real one).
 */
public class NotebookIT extends ClusterTest {
  private static final Duration ANSWERS_WITHIN = Duration.ofMinutes(1);
  private static final Pattern LINK =
      Pattern.compile("http://127\\.0\\.0\\.1:\\d+/\\?token=([0-9a-f]{48})");

  /** The files that are kept. */
  private static final String SERVE =
      "exec python3 -m http.server --bind 127.0.0.1 --directory notebooks \"$TB_PORT\"";

  private final HttpClient http = HttpClient.newHttpClient();

  @After
  public void forgetItsFiles() throws IOException {
    try (FileSystem fs = cluster().fileSystem()) {
      fs.delete(checkpoints(fs), true);
    }
  }

  private static org.apache.hadoop.fs.Path checkpoints(FileSystem fs) {
    return new org.apache.hadoop.fs.Path(fs.getHomeDirectory(), ".tony/checkpoints");
  }

  private static List<String> arguments(String command, String... more) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("-memory", "256m", "-executes", command));
    arguments.addAll(List.of(more));
    return TonyCommand.small("notebook", arguments.toArray(String[]::new));
  }

  private TonyCommand notebook(String command, String... more) throws IOException {
    List<String> arguments = arguments(command, more);
    arguments.addAll(List.of("-link_file", "link"));
    return tony(arguments.toArray(String[]::new));
  }

  private String link(String file) throws IOException {
    return Files.readString(folder.getRoot().toPath().resolve(file)).strip();
  }

  private static String token(String link) {
    Matcher matcher = LINK.matcher(link);
    assertTrue(link, matcher.matches());
    return matcher.group(1);
  }

  /** What is served under a name, once it is. */
  private String get(String link, String name) throws InterruptedException {
    URI uri = URI.create(link).resolve("/" + name);
    long end = System.nanoTime() + ANSWERS_WITHIN.toNanos();
    while (true) {
      try {
        HttpResponse<String> answer =
            http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        assertEquals(uri.toString(), 200, answer.statusCode());
        return answer.body().strip();
      } catch (IOException e) {
        assertTrue(uri + ": " + e, System.nanoTime() < end);
        Thread.sleep(100);
      }
    }
  }

  @Test
  public void shouldLeadABrowserToTheContainerAndKeepItsFiles() throws Exception {
    String command = "echo $TONY_ATTEMPT >> notebooks/starts; " + SERVE;
    try (TonyCommand tony = notebook(command)) {
      tony.await("the notebook is up; its link is in link");
      String link = link("link");

      assertEquals("0", get(link, "starts"));
      assertEquals("whoever has the link can run programs", "rw-------", permissionsOfLink());
      tony.await("checkpoint of step ");
      killExecutor();
      tony.await("1/1 tasks running", 2);
      assertEquals("0\n1", get(link, "starts"));

      tony.terminate();
      tony.assertExit(143);
      assertFalse(Files.exists(folder.getRoot().toPath().resolve("link")));
      List<JobEvent> finished = events(tony.application(), JobEvent.Type.JOB_FINISHED);
      assertEquals("KILLED", finished.get(0).detail("status"));
    }
    nothingIsLeft();
    try (TonyCommand tony = notebook(command)) {
      tony.await("the notebook is up");
      assertEquals("0\n1\n0", get(link("link"), "starts"));
      tony.terminate(); // before its files are kept for the first time
      tony.assertExit(143);
    }
    nothingIsLeft();
    try (TonyCommand tony = notebook("cat notebooks/starts")) {
      tony.assertExit(0);
      assertEquals("0\n1\n0\n", log(tony.application(), "notebook:0", "stdout"));
    }
    try (TonyCommand tony = notebook("ls notebooks", "-name", "another")) {
      tony.assertExit(0);
      assertEquals("", log(tony.application(), "notebook:0", "stdout"));
    }
  }

  private static void killExecutor() {
    List<Long> executors = List.copyOf(executors().values());
    assertEquals(1, executors.size());
    ProcessHandle.of(executors.get(0)).orElseThrow().destroyForcibly();
  }

  private String permissionsOfLink() throws IOException {
    Path file = folder.getRoot().toPath().resolve("link");
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  public void shouldShowTheTokenToItsUserAndProgramOnly() throws Exception {
    try (TonyCommand tony = notebook("echo \"$JUPYTER_TOKEN\" > notebooks/token; " + SERVE)) {
      tony.await("the notebook is up");
      String link = link("link");
      String token = token(link);

      assertEquals(token, get(link, "token"));
      try (TonyCommand status = tony("status", tony.application())) {
        status.assertExit(0);
        assertFalse(status.text(), status.text().contains(token));
      }
      assertEquals(List.of(), commandLinesWith(token));
      tony.terminate();
      tony.assertExit(143);

      assertFalse(tony.text(), tony.text().contains(token));
      assertEquals(List.of(), logsWith(token, tony.application()));
      for (JobEvent event : events(tony.application())) {
        assertFalse(event.toString(), event.toString().contains(token));
      }
    }
  }

  private static List<String> commandLinesWith(String text) throws IOException {
    List<String> found = new ArrayList<>();
    int looked = 0;
    for (ProcessHandle process : processes("")) {
      Path file = Path.of("/proc", Long.toString(process.pid()), "cmdline");
      String line = Files.exists(file) ? Files.readString(file, StandardCharsets.ISO_8859_1) : "";
      looked += line.contains("http.server") ? 1 : 0;
      if (line.contains(text)) {
        found.add(line);
      }
    }
    assertTrue("the notebook's own command line was not read", looked > 0);
    return found;
  }

  private static List<Path> logsWith(String text, String application) throws IOException {
    List<Path> found = new ArrayList<>();
    int looked = 0;
    for (Path logs : cluster().logDirs()) {
      if (Files.exists(logs.resolve(application))) {
        try (var files = Files.walk(logs.resolve(application))) {
          for (Path file : files.filter(Files::isRegularFile).toList()) {
            looked++;
            if (Files.readString(file, StandardCharsets.ISO_8859_1).contains(text)) {
              found.add(file);
            }
          }
        }
      }
    }
    assertTrue("logs: " + looked, looked >= 4);
    return found;
  }

  @Test
  public void shouldLetItsUserComeBackButNotBeginItTwice() throws Exception {
    try (TonyCommand tony = notebook("echo hello > notebooks/greeting; " + SERVE)) {
      tony.await("the notebook is up");

      try (TonyCommand second = notebook("true")) {
        second.assertExit(2);
        assertTrue(
            second.text(),
            second.text().contains("go on in it (tony notebook " + tony.application() + ")"));
      }
      try (TonyCommand joined =
          tony("notebook", tony.application(), "-link_file", "other", "-port", freePort())) {
        joined.await("the notebook is up; its link is in other");
        assertEquals(token(link("link")), token(link("other")));
        assertEquals("hello", get(link("other"), "greeting"));
        joined.terminate();
        joined.assertExit(143);
      }
      assertEquals("hello", get(link("link"), "greeting"));
      try (TonyCommand joined = tony("notebook", tony.application(), "-link_file", "other")) {
        joined.await("the notebook is up");
        try (TonyCommand kill = tony("kill", tony.application())) {
          kill.assertExit(0);
        }
        joined.await("KILLED: ");
        joined.assertExit(4);
      }
      tony.assertExit(4);
    }
  }

  private static String freePort() throws IOException {
    try (ServerSocket socket = heldPort(30_500)) {
      return Integer.toString(socket.getLocalPort());
    }
  }

  @Test
  public void shouldBeReachedThroughTheNextMaster() throws Exception {
    try (TonyCommand tony =
        notebook("echo hello > notebooks/greeting; " + SERVE, "-conf", "tony.am.max-attempts=2")) {
      tony.await("the notebook is up");
      assertEquals("hello", get(link("link"), "greeting"));

      killMaster();
      tony.awaitTakeover(1);

      assertEquals("hello", get(link("link"), "greeting"));
      tony.terminate();
      tony.assertExit(143);
    }
  }

  @Test
  public void shouldShowTheLinkAtATerminal() throws Exception {
    try (TonyCommand tony =
        TonyCommand.startAtTerminal(
            cluster().confDir().toString(),
            cluster().hadoopClasspath(),
            folder.getRoot().toPath(),
            ":",
            arguments("echo hello > notebooks/greeting; " + SERVE))) {
      String line = tony.await("the notebook is up: http");
      String link = line.substring(line.indexOf("http"));
      token(link);
      assertEquals("hello", get(link, "greeting"));
      try (TonyCommand kill = tony("kill", tony.application())) {
        kill.assertExit(0);
      }
      tony.assertExit(4);
    }
  }

  @Test
  public void shouldRefuseWhatCannotBe() throws Exception {
    int before = applications();
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      assertRefused("there is no terminal here", "notebook");
      assertRefused("port " + port + " of this machine cannot be had", "-port", port);
      assertRefused("-port is 99999; it is a port", "-port", "99999");
      assertRefused("-name is 'a/b'; it begins with a letter or digit", "-name", "a/b");
      assertRefused("tony.application.notebook-idle-timeout=soon", "-idle", "soon");
      assertRefused("application_1_0001 is not a running notebook", "application_1_0001");
      assertRefused("to begin a notebook of that name: -name fraud", "fraud");
      assertRefused("-link_file no/where cannot be written", "-link_file", "no/where");
    }
    assertEquals(before, applications());
  }

  private void assertRefused(String why, String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of(arguments));
    if (!all.contains("notebook")) {
      all.addAll(0, List.of("notebook", "-link_file", "link"));
    }
    try (TonyCommand tony = tony(all.toArray(String[]::new))) {
      tony.assertExit(2);
      assertTrue(tony.text(), tony.text().contains(why));
    }
  }
}
