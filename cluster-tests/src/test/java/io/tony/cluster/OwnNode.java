package io.tony.cluster;

import static org.junit.Assert.assertEquals;

import io.tony.testing.BuildArtifacts;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A NodeManager that is a process of its own, as on a real cluster: it alone can be killed. */
final class OwnNode implements AutoCloseable {
  /** The same on each node: each of all tests has an address of its own. */
  private static final int PORT = 8041;

  private static final int WEB_PORT = 8042;

  private final String host;
  private final Process process;

  private OwnNode(String host, Process process) {
    this.host = host;
    this.process = process;
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "stop-node"));
  }

  /**
   * Starts it, and does not wait until YARN knows it. Its containers work below the folder; its
   * output goes to a file beside that. Started again in the same folder, it takes over the
   * containers of the one before.
   *
   * @param confDir the configuration folder of the cluster that it joins
   */
  static OwnNode start(Path confDir, Path folder, String host, int memoryMiB) throws IOException {
    Map<String, String> settings = new TreeMap<>();
    settings.put("localizer.address", host + ":0");
    settings.put("webapp.address", host + ":" + WEB_PORT);
    settings.put("address", host + ":" + PORT); // YARN knows it by that
    settings.put("recovery.enabled", "true");
    settings.put("recovery.supervised", "true");
    settings.put("recovery.dir", Files.createDirectories(folder.resolve("recovery")).toString());
    settings.put("local-dirs", Files.createDirectories(folder.resolve("local")).toString());
    settings.put("log-dirs", Files.createDirectories(folder.resolve("logs")).toString());
    settings.put("resource.memory-mb", Integer.toString(memoryMiB));
    settings.put("vmem-check-enabled", "false");
    settings.put("delete.debug-delay-sec", "0");
    settings.put("disk-health-checker.max-disk-utilization-per-disk-percentage", "99.9");
    ProcessBuilder builder = new ProcessBuilder(command(confDir, settings));
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Path console = folder.resolveSibling(folder.getFileName() + ".console");
    return new OwnNode(
        host, builder.redirectErrorStream(true).redirectOutput(console.toFile()).start());
  }

  private static List<String> command(Path confDir, Map<String, String> settings) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.add("-cp");
    command.add(confDir + File.pathSeparator + BuildArtifacts.hadoopJars() + "/*");
    command.add("org.apache.hadoop.yarn.server.nodemanager.NodeManager");
    settings.forEach((name, value) -> command.add("-Dyarn.nodemanager." + name + "=" + value));
    return command;
  }

  /** By which the event log names it. */
  String host() {
    return host;
  }

  /** Whether it looks after this container, and the container runs. */
  boolean runs(String container) throws IOException {
    URI page =
        URI.create("http://" + host + ":" + WEB_PORT + "/ws/v1/node/containers/" + container);
    HttpURLConnection answer = (HttpURLConnection) page.toURL().openConnection();
    answer.setRequestProperty("Accept", "application/json");
    try (InputStream body = answer.getInputStream()) {
      return new String(body.readAllBytes(), StandardCharsets.UTF_8)
          .contains("\"state\":\"RUNNING\"");
    } catch (FileNotFoundException | ConnectException e) {
      return false;
    }
  }

  /** SIGSTOP: it tells YARN nothing any more, and its containers go on. */
  void pause() throws IOException, InterruptedException {
    signal("STOP");
  }

  /** SIGCONT. */
  void resume() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    String[] command = {"kill", "-" + name, Long.toString(process.pid())};
    assertEquals(0, new ProcessBuilder(command).start().waitFor());
  }

  /** SIGKILL: its containers go on, and nobody looks after them unless it is started again. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** The same, as its cluster is stopped next. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
