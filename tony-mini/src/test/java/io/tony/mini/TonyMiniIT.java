package io.tony.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class TonyMiniIT {

  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final int SIGTERM_EXIT = 128 + 15;

  @Rule public final TemporaryFolder scratch = new TemporaryFolder();

  private Process process;

  @After
  public void killWhatATestLeft() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  @Test
  public void shouldServeOnLoopbackUntilSigterm() throws Exception {
    Path dir = scratch.getRoot().toPath().toRealPath().resolve("cluster");
    start("--dir", dir.toString(), "--node-managers", "1");
    Path readyFile = dir.resolve("ready");
    Await.until(
        () -> Files.exists(readyFile) || !process.isAlive(),
        PATIENCE,
        () -> "the cluster to be ready");
    assertTrue(console(), process.isAlive());

    Properties ready = new Properties();
    try (Reader in = Files.newBufferedReader(readyFile)) {
      ready.load(in);
    }
    assertEquals(Long.toString(process.pid()), ready.getProperty("pid"));
    assertEquals(dir.resolve("conf").toString(), ready.getProperty("conf"));
    assertEquals(
        Files.readString(dir.resolve("hadoop.classpath")).trim(), ready.getProperty("classpath"));
    for (String jar : ready.getProperty("classpath").split(File.pathSeparator, -1)) {
      assertTrue(jar, Files.isRegularFile(Path.of(jar)));
    }
    List<ListeningPorts.Port> ports = ListeningPorts.of(process.pid());
    assertTrue(ports.toString(), ports.size() > 10);
    assertTrue(ports.toString(), ports.stream().allMatch(ListeningPorts.Port::loopback));

    process.destroy();
    assertTrue(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS));

    assertEquals(SIGTERM_EXIT, process.exitValue());
    assertFalse(Files.exists(readyFile));
    List<ListeningPorts.Port> left = ListeningPorts.all();
    left.retainAll(ports);
    assertEquals(List.of(), left);
    assertEquals(
        List.of(
            "HDFS                " + ready.getProperty("fs.default"),
            "NameNode            " + ready.getProperty("namenode.http"),
            "ResourceManager     " + ready.getProperty("resourcemanager.http"),
            "HADOOP_CONF_DIR     " + ready.getProperty("conf")),
        console().lines().toList());
  }

  @Test
  public void shouldRefuseABadCommandLineWithExitCode2() throws Exception {
    start("--node-managers", "0", "--node-memory", "1");
    assertTrue(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS));

    assertEquals(2, process.exitValue());
    assertTrue(console(), console().contains("--node-memory: unknown option"));
    assertTrue(console(), console().contains("--dir: is required"));
    assertTrue(console(), console().contains("NodeManagers: 0, must be at least 1"));
  }

  @Test
  public void shouldNotTakeAFolderOfSomebodyElse() throws Exception {
    Path theirs = scratch.newFile("theirs").toPath();
    start("--dir", theirs.getParent().toString());
    assertTrue(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS));

    assertEquals(1, process.exitValue());
    assertTrue(console(), console().contains("name an empty or new folder"));
    assertTrue(Files.exists(theirs));
  }

  private void start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String opened : List.of("lang", "util", "net", "io", "nio")) {
      command.add("--add-opens=java.base/java." + opened + "=ALL-UNNAMED");
    }
    command.addAll(
        List.of("-Xmx1g", "-cp", System.getProperty("java.class.path"), TonyMini.class.getName()));
    command.addAll(List.of(arguments));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(consoleFile().toFile())
            .start();
  }

  private Path consoleFile() {
    // Beside the scratch folder's own files, some of which a test checks for being alone.
    return Path.of("target", "tony-mini-it.console");
  }

  private String console() throws IOException {
    return Files.readString(consoleFile());
  }
}
