package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.testing.BuildArtifacts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.rules.ExternalResource;

/**
 * A Docker daemon of its own, with the images that a test makes, and without any network: its
 * containers have the machine's. Where there is no Docker, and none can be installed or started,
 * the tests are not run. Afterwards nothing of it is left.
 */
final class DockerDaemon extends ExternalResource {
  private static final int START_LIMIT_SECONDS = 60;
  private static final int STOP_LIMIT_SECONDS = 60;

  private final Path folder;
  private final Path console;
  private final Path client;
  private final List<String> options;
  private Path run;
  private Process process;

  /**
   * Its files are in {@code target/<name>}.
   *
   * @param options of its command line, besides those that it has here anyway
   */
  DockerDaemon(String name, String... options) {
    this.options = List.of(options);
    this.folder = Path.of("target", name).toAbsolutePath();
    this.console = folder.resolve("console");
    this.client = folder.resolve("docker");
  }

  /** The command line's client, which talks to this daemon. */
  Path client() {
    return client;
  }

  @Override
  protected void before() throws IOException, InterruptedException {
    NotRun.unless(
        System.getProperty("user.name").equals("root"), "only root can start a Docker daemon");
    Process setup =
        new ProcessBuilder(BuildArtifacts.file("src-test-resources/docker/setup").toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(setup.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    NotRun.unless(setup.waitFor() == 0, said);
    endEarlier();
    start();
    Runtime.getRuntime().addShutdownHook(new Thread(this::stopIfAlive, "stop-docker"));
    awaitStart();
  }

  /** The daemon, and what it kept, of a JVM that was killed amid its tests. */
  private void endEarlier() throws IOException, InterruptedException {
    Path pid = folder.resolve("pid");
    if (!Files.exists(pid)) {
      return; // a daemon deletes it when it ends
    }
    ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))
        .filter(earlier -> earlier.info().command().orElse("").endsWith("/dockerd"))
        .ifPresent(
            earlier -> {
              earlier.destroy();
              earlier.onExit().join();
            });
    remove(folder.resolve("data"));
  }

  private static void remove(Path folder) throws IOException, InterruptedException {
    Process remove = new ProcessBuilder("rm", "-rf", folder.toString()).inheritIO().start();
    assertEquals(0, remove.waitFor());
  }

  private void start() throws IOException {
    Files.createDirectories(folder);
    // Sockets, for whose paths Linux has 108 bytes.
    run = Files.createTempDirectory("docker-");
    Files.writeString(
        client, "#!/bin/sh\nexec /usr/bin/docker -H unix://" + run + "/socket \"$@\"\n");
    Files.setPosixFilePermissions(client, PosixFilePermissions.fromString("rwxr-xr-x"));
    List<String> command =
        new ArrayList<>(
            List.of(
                "dockerd",
                "--data-root=" + folder.resolve("data"),
                "--exec-root=" + run.resolve("exec"),
                "--pidfile=" + folder.resolve("pid"),
                "--host=unix://" + run.resolve("socket"),
                "--bridge=none",
                "--iptables=false",
                "--ip6tables=false"));
    command.addAll(options);
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(console.toFile())
            .start();
  }

  private void awaitStart() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_LIMIT_SECONDS);
    while (process.isAlive() && call("version").code != 0 && System.nanoTime() < deadline) {
      Thread.sleep(50); // it tells nobody
    }
    if (call("version").code != 0) {
      stop();
      List<String> lines = Files.readAllLines(console);
      String end = String.join("\n", lines.subList(Math.max(0, lines.size() - 5), lines.size()));
      NotRun.unless(false, "no Docker daemon can be started here: " + end);
    }
  }

  /** Makes an image out of this machine's programs. */
  void makeImage(String name) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
            BuildArtifacts.file("src-test-resources/docker/make-image").toString(),
            client.toString(),
            name);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process make = builder.redirectErrorStream(true).start();
    String said = new String(make.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(said, 0, make.waitFor());
  }

  /** What a command of Docker's printed, and how it ended. */
  private record Answer(int code, String text) {}

  private Answer call(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(client.toString()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Answer(process.waitFor(), text);
  }

  /** The output of a command of Docker's that must succeed. */
  String docker(String... arguments) throws IOException, InterruptedException {
    Answer answer = call(arguments);
    assertEquals(Arrays.toString(arguments) + ": " + answer.text, 0, answer.code);
    return answer.text;
  }

  /** All containers that it has, ended ones among them. */
  List<String> containers() throws IOException, InterruptedException {
    return docker("ps", "--all", "--format", "container {{.Names}} is {{.Status}}")
        .lines()
        .toList();
  }

  @Override
  protected void after() {
    boolean ended = false;
    try {
      try {
        assertEquals(List.of(), containers());
      } finally {
        ended = stop();
      }
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
    assertTrue("dockerd had to be killed, see " + console, ended);
  }

  /** For a JVM that is ended amid its tests. */
  private void stopIfAlive() {
    if (!process.isAlive()) {
      return;
    }
    try {
      stop();
    } catch (IOException | InterruptedException e) {
      System.err.println("something of the Docker daemon in " + run + " stays: " + e);
    }
  }

  /** With its containerd, and what it has mounted and written. False when it took SIGKILL. */
  private boolean stop() throws IOException, InterruptedException {
    process.destroy();
    boolean ended = process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS);
    if (!ended) {
      process.destroyForcibly().waitFor();
    }
    // The daemon leaves a mount of the machine's network behind.
    new ProcessBuilder("umount", run.resolve("exec/netns/default").toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
    remove(run);
    remove(folder.resolve("data"));
    return ended;
  }
}
