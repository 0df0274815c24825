package io.tony.client.launch;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.Repository;
import io.tony.process.Spawner;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** Real JVMs, which are started as the job type starts its client. */
public class ClassArchiveTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(300);

  private Path jar;
  private Path cache;
  private Path archive;

  /** Stands in for the client. */
  public static final class Client {
    private Client() {}

    public static void main(String[] args) throws IOException {
      if (args[0].equals("cannot make it")) {
        Path failed =
            Path.of(System.getProperty("tony.client.archive") + ClassArchive.FAILED_SUFFIX);
        Files.writeString(failed, ClassArchive.fingerprint());
      }
      ClassArchive.updateOnExit(args[0].equals("succeeded"));
    }
  }

  @Before
  public void makeJar() throws Exception {
    jar = temporary.getRoot().toPath().resolve("client.jar");
    cache = temporary.newFolder("cache").toPath();
    archive = cache.resolve("client-1.jsa");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      put("tony-core/client/target/classes", ClassArchive.class, out);
      put("tony-core/base/target/classes", Spawner.class, out);
      put("tony-core/client/target/test-classes", ClassArchiveTest.class, out);
    }
  }

  /** Adds the package of a class. */
  private static void put(String folder, Class<?> one, JarOutputStream out) throws IOException {
    Path classes = Repository.path(folder);
    try (Stream<Path> all = Files.list(classes.resolve(one.getPackageName().replace('.', '/')))) {
      for (Path file : all.toList()) {
        out.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
        Files.copy(file, out);
      }
    }
  }

  /** Runs a client; returns where its own class came from. */
  private String client(String end) throws Exception {
    List<String> command = new ArrayList<>(ClassArchive.javaCommand());
    command.add("-Dtony.client.archive=" + archive);
    command.add("-Xlog:cds*=off");
    command.add("-Xlog:class+load");
    command.add(
        Files.exists(archive)
            ? "-XX:SharedArchiveFile=" + archive
            : "-XX:DumpLoadedClassList=" + archive + ".%p");
    command.addAll(List.of(Client.class.getName(), end));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    // The folder of the cluster's configuration stands last, and is not empty.
    builder.environment().put("CLASSPATH", jar + File.pathSeparator + temporary.getRoot());
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(output, 0, process.waitFor());
    return output
        .lines()
        .filter(line -> line.contains(Client.class.getName() + " source: "))
        .map(line -> line.replaceFirst(".* source: ", ""))
        .findFirst()
        .orElse(output);
  }

  private List<String> kept() throws IOException {
    try (Stream<Path> files = Files.list(cache)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** Returns when the process that the client has left behind has deleted its list. */
  private void awaitArchive(WatchService changes) throws Exception {
    while (!kept().equals(List.of("client-1.jsa", "client-1.jsa.lock", "client-1.jsa.of"))) {
      WatchKey changed = changes.take();
      changed.pollEvents();
      changed.reset();
    }
  }

  @Test
  public void shouldStartTheNextClientFromWhatTheFirstHasLoaded() throws Exception {
    try (WatchService changes = cache.getFileSystem().newWatchService()) {
      cache.register(
          changes, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE);
      assertTrue(client("succeeded").startsWith("file:"));
      awaitArchive(changes);
    }

    assertEquals("shared objects file", client("succeeded"));
    assertTrue("it fits", Files.exists(archive));

    Files.setLastModifiedTime(jar, FileTime.fromMillis(0));
    assertTrue("it does not fit, and nothing is told", client("failed").startsWith("file:"));
    assertFalse("the next client notes what it loads", Files.exists(archive));
  }

  @Test
  public void shouldTryAgainOnTheNextDayWhatCouldNotBeMade() throws Exception {
    client("cannot make it");
    client("succeeded");
    assertEquals("nobody tries", List.of("client-1.jsa.failed"), kept());

    Path failed = cache.resolve("client-1.jsa.failed");
    Files.setLastModifiedTime(failed, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
    try (WatchService changes = cache.getFileSystem().newWatchService()) {
      cache.register(
          changes, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE);
      client("succeeded");
      awaitArchive(changes);
    }
  }

  @Test
  public void shouldLeaveNothingOfAClientThatDidNotGetToItsEnd() throws Exception {
    client("failed");

    assertEquals(List.of(), kept());
  }
}
