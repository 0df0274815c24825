package io.tony.cluster;

import static org.junit.Assert.assertEquals;

import io.tony.mini.MiniCluster;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The {@code tony} command as a process of its own, with what it has printed so far. */
final class TonyCommand implements AutoCloseable {
  private static final Pattern APPLICATION = Pattern.compile("application_\\d+_\\d+");

  /** Many times what any line, and the end, of a job takes that does as the test expects. */
  private static final long LIMIT_SECONDS = 120;

  private final Process process;
  private final List<String> lines = new ArrayList<>();
  private final Thread reader = new Thread(this::read, "tony-output");
  private boolean ended;

  private TonyCommand(Process process) {
    this.process = process;
    reader.start();
  }

  /** Starts the jar that this build packaged; the class path goes through the environment. */
  static TonyCommand start(MiniCluster cluster, Path folder, List<String> arguments)
      throws IOException {
    return start(cluster.confDir().toString(), cluster.hadoopClasspath(), folder, arguments);
  }

  /** The same for a cluster that is described by its configuration folder and its jars. */
  static TonyCommand start(
      String confDir, String hadoopClasspath, Path folder, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.add("io.tony.client.TonyCli");
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    Path jar = Path.of(System.getProperty("tony.core.jar"));
    builder
        .environment()
        .put(
            "CLASSPATH",
            confDir + ":" + jar + ":" + jar.resolveSibling("lib") + "/*:" + hadoopClasspath);
    return new TonyCommand(builder.start());
  }

  private void read() {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        add(line);
      }
    } catch (IOException e) {
      add("(the output broke off: " + e + ")");
    }
    synchronized (this) {
      ended = true;
      notifyAll();
    }
  }

  private synchronized void add(String line) {
    lines.add(line);
    notifyAll();
  }

  synchronized List<String> lines() {
    return List.copyOf(lines);
  }

  String text() {
    return String.join("\n", lines());
  }

  /** Waits for a line that holds the text. */
  String await(String text) throws InterruptedException {
    return await(text, 1);
  }

  /** Waits until so many lines have held the text, and returns the last of them. */
  synchronized String await(String text, int times) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    int next = 0;
    int seen = 0;
    while (true) {
      for (; next < lines.size(); next++) {
        if (lines.get(next).contains(text) && ++seen == times) {
          return lines.get(next);
        }
      }
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (ended || left <= 0) {
        throw new AssertionError("not " + times + " lines with '" + text + "' in:\n" + text());
      }
      wait(left);
    }
  }

  /** Waits for the second ApplicationMaster; fails at once where it took over others than these. */
  void awaitTakeover(int running) throws InterruptedException {
    String line = await("attempt 2");
    if (!line.contains("took over " + running + " running task")) {
      throw new AssertionError("not " + running + " running tasks: " + line + ", in:\n" + text());
    }
  }

  /** The exit code, once the process has ended and all its output is read. */
  int exitCode() throws InterruptedException {
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("the command has not ended:\n" + text());
    }
    reader.join();
    return process.exitValue();
  }

  /** Waits for the end; a failure shows all that was printed. */
  void assertExit(int expected) throws InterruptedException {
    int code = exitCode();
    assertEquals(text(), expected, code);
  }

  /** SIGTERM, as Azkaban sends it. */
  void terminate() {
    process.toHandle().destroy(); // Process.destroy() would close the output as well
  }

  /** SIGKILL: the command has no say in it. */
  void kill() {
    process.destroyForcibly();
  }

  /** The id of the application that the command speaks of. */
  String application() {
    Matcher matcher = APPLICATION.matcher(text());
    if (!matcher.find()) {
      throw new AssertionError("no application id in:\n" + text());
    }
    return matcher.group();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
