package io.tony.client;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.application.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * What a person reads, and when, while a cluster does not answer: real commands, and real sockets
 * that refuse connections, or take them and say nothing.
 */
public class SilenceTest {
  private static final String APPLICATION = "application_1700000000000_0001";

  /** What a command says itself, within five seconds, with time for a busy machine. */
  private static final Duration FIRST_WORDS = Duration.ofSeconds(15);

  private static final Duration END = Duration.ofSeconds(75);

  private static final String CLASS_PATH =
      Stream.of(
              System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                  .split(":"))
          .map(entry -> Path.of(entry).toAbsolutePath().toString())
          .collect(Collectors.joining(":"));

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private record Ended(int code, List<String> lines, Duration first, Duration whole) {
    String last() {
      return lines.get(lines.size() - 1);
    }
  }

  /** A command that runs. */
  private record Started(Process process, long at) {
    /** Read from now on, beside the others. */
    CompletableFuture<Ended> ended() {
      return CompletableFuture.supplyAsync(
          () -> {
            try {
              return end();
            } catch (IOException | InterruptedException e) {
              throw new AssertionError(e);
            }
          },
          work -> new Thread(work, "reader").start());
    }

    Ended end() throws IOException, InterruptedException {
      List<String> lines = new ArrayList<>();
      Duration first = null;
      try (BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
          first = first == null ? Duration.ofNanos(System.nanoTime() - at) : first;
          lines.add(line);
        }
      }
      int code = process.waitFor();
      return new Ended(code, lines, first, Duration.ofNanos(System.nanoTime() - at));
    }
  }

  private Started tony(Path conf, List<String> arguments) throws IOException {
    Process process = command(conf, arguments).redirectErrorStream(true).start();
    return new Started(process, System.nanoTime());
  }

  private ProcessBuilder command(Path conf, List<String> arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-cp",
                conf + ":" + CLASS_PATH,
                TonyCli.class.getName()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.directory(temporary.getRoot());
    builder.environment().keySet().removeIf(name -> name.startsWith("TONY_"));
    builder.environment().put("HADOOP_CONF_DIR", conf.toString());
    builder.environment().put("TONY_CACHE", "none");
    return builder;
  }

  private Path conf(String name, Map<String, String> core, Map<String, String> yarn)
      throws IOException {
    Path folder = temporary.newFolder(name).toPath();
    write(folder.resolve("core-site.xml"), core);
    write(folder.resolve("yarn-site.xml"), yarn);
    return folder;
  }

  private static void write(Path file, Map<String, String> values) throws IOException {
    StringBuilder text = new StringBuilder("<configuration>");
    values.forEach(
        (key, value) ->
            text.append("<property><name>")
                .append(key)
                .append("</name><value>")
                .append(value)
                .append("</value></property>"));
    Files.writeString(file, text.append("</configuration>"));
  }

  /** A port where nothing listens: it was free a moment ago. */
  private static String closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "127.0.0.1:" + socket.getLocalPort();
    }
  }

  private static final List<String> SUBMIT =
      List.of("submit", "-executes", "true", "-conf", "tony.worker.instances=1");

  private static final List<String> VALIDATE =
      List.of("validate", "-executes", "true", "-conf", "tony.worker.instances=1");

  @Test(timeout = 300_000)
  public void shouldSayAtOnceThatNoClusterIsConfigured() throws Exception {
    Path missing = temporary.getRoot().toPath().resolve("missing");
    Path empty = temporary.newFolder("empty").toPath();
    List<List<String>> commands = new ArrayList<>(List.of(SUBMIT, VALIDATE));
    for (String name :
        List.of("status", "kill", "logs", "follow", "stacks", "events", "timeline")) {
      commands.add(List.of(name, APPLICATION));
    }
    commands.add(List.of("shell", APPLICATION, "worker:0"));
    commands.add(List.of("compare", APPLICATION, APPLICATION));
    commands.add(List.of("notebook", "-link_file", "link"));
    for (String name : List.of("list", "history")) {
      commands.add(List.of(name));
    }
    for (List<String> arguments : commands) {
      Ended list = tony(arguments.contains("list") ? missing : empty, arguments).end();

      assertEquals(list.lines().toString(), ExitCode.INFRASTRUCTURE.code(), list.code());
      assertEquals(arguments + " " + list.lines(), 1, list.lines().size());
      assertTrue(list.last(), list.last().startsWith("FAILED: no cluster is configured: "));
      assertTrue(list.last(), list.last().contains("HADOOP_CONF_DIR is "));
      assertEquals(arguments.contains("list"), list.last().contains("which is no folder"));
      assertTrue(list.whole().toString(), list.whole().compareTo(FIRST_WORDS) < 0);
    }
  }

  @Test(timeout = 300_000)
  public void shouldSayWhomACommandWaitsForAndEnd() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String answersNothing = "127.0.0.1:" + silent.getLocalPort();
      String rm = "yarn.resourcemanager.address";
      Map<String, String> local = Map.of("fs.defaultFS", "file:///");
      Path noYarn = conf("no-yarn", local, Map.of(rm, closedPort()));
      Path silentYarn = conf("silent-yarn", local, Map.of(rm, answersNothing));
      Path silentFiles =
          conf(
              "silent-files",
              Map.of("fs.defaultFS", "hdfs://" + answersNothing),
              Map.of(rm, closedPort()));
      Map<CompletableFuture<Ended>, String> started = new LinkedHashMap<>();
      String yarnFile = "yarn.resourcemanager.address of " + noYarn + "/yarn-site.xml";
      started.put(tony(noYarn, List.of("status", APPLICATION)).ended(), yarnFile);
      started.put(tony(noYarn, SUBMIT).ended(), yarnFile);
      yarnFile = "yarn.resourcemanager.address of " + silentYarn + "/yarn-site.xml";
      started.put(tony(silentYarn, List.of("kill", APPLICATION)).ended(), yarnFile);
      started.put(tony(silentYarn, VALIDATE).ended(), yarnFile);
      started.put(tony(silentYarn, List.of("follow", APPLICATION)).ended(), yarnFile);
      started.put(
          tony(silentFiles, List.of("list")).ended(),
          "fs.defaultFS of " + silentFiles + "/core-site.xml");
      for (Map.Entry<CompletableFuture<Ended>, String> one : started.entrySet()) {
        Ended ended = one.getKey().get();

        String told = String.join("\n", ended.lines());
        assertEquals(told, ExitCode.INFRASTRUCTURE.code(), ended.code());
        // A busy machine may still load classes when the command is to say something.
        String first =
            ended.lines().stream()
                .filter(line -> !line.startsWith("waiting for this machine"))
                .findFirst()
                .orElseThrow();
        assertTrue(told, first.startsWith("waiting for "));
        assertTrue(told, first.contains("(" + one.getValue() + ")"));
        assertTrue(told, ended.last().startsWith("FAILED (LOST): no answer within "));
        assertTrue(told, ended.last().contains("(" + one.getValue() + ")"));
        assertTrue(told, ended.lines().stream().noneMatch(line -> line.startsWith("\tat ")));
        assertTrue(told + ended.first(), ended.first().compareTo(FIRST_WORDS) < 0);
        assertTrue(told + ended.whole(), ended.whole().compareTo(END) < 0);
      }
    }
  }

  @Test(timeout = 300_000)
  public void shouldSayItBesideWhatAProgramReads() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String files = "hdfs://127.0.0.1:" + silent.getLocalPort();
      Path conf = conf("silent", Map.of("fs.defaultFS", files), Map.of());
      Path printed = temporary.newFile().toPath();
      Process list =
          command(conf, List.of("list", "-json")).redirectOutput(printed.toFile()).start();

      String first;
      try (BufferedReader errors = list.errorReader(StandardCharsets.UTF_8)) {
        do {
          first = errors.readLine();
        } while (first != null && !first.startsWith("waiting for HDFS"));
      } finally {
        list.destroyForcibly();
      }

      assertTrue("on standard error: " + first, first != null && first.contains(files));
      assertEquals("", Files.readString(printed));
    }
  }

  @Test(timeout = 300_000)
  public void shouldNameTheServerThatRefusesInOneSentence() throws Exception {
    Path conf =
        conf(
            "no-files",
            Map.of("fs.defaultFS", "hdfs://" + closedPort(), "ipc.client.connect.max.retries", "1"),
            Map.of());

    Ended ended = tony(conf, List.of("list")).end();

    assertEquals(ended.lines().toString(), ExitCode.INFRASTRUCTURE.code(), ended.code());
    // On a busy machine it may be waited for until then.
    long said = ended.lines().stream().filter(line -> !line.startsWith("waiting for ")).count();
    assertEquals(ended.lines().toString(), 1, said);
    assertTrue(
        ended.last(),
        ended
            .last()
            .contains(
                "(fs.defaultFS of "
                    + conf
                    + "/core-site.xml) cannot be reached: Connection refused"));
  }

  @Test(timeout = 300_000)
  public void shouldCheckAJobWithoutItsCluster() throws Exception {
    List<String> offline = new ArrayList<>(VALIDATE);
    offline.add("-offline");

    Ended ended = tony(temporary.newFolder("none").toPath(), offline).end();

    assertEquals(ended.lines().toString(), ExitCode.SUCCEEDED.code(), ended.code());
    assertTrue(ended.last(), ended.last().contains("is valid: 1 task"));
  }
}
