package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.junit.After;
import org.junit.Test;

/** {@code tony doctor} on a healthy cluster and on one of which a part is gone. */
public class DoctorIT extends ClusterTest {
  /** Hadoop's own clients would try for 15 minutes. */
  private static final Duration BOUND = Duration.ofSeconds(90);

  @After
  public void nothingOfTheDoctorIsLeft() throws IOException {
    try (FileSystem fs = cluster().fileSystem()) {
      for (String place : List.of(".tony/staging", ".tony/history")) {
        org.apache.hadoop.fs.Path folder =
            new org.apache.hadoop.fs.Path(fs.getHomeDirectory(), place);
        if (fs.exists(folder)) {
          assertEquals(
              List.of(),
              Arrays.stream(fs.listStatus(folder))
                  .map(FileStatus::getPath)
                  .filter(path -> path.getName().startsWith("doctor"))
                  .toList());
        }
      }
    }
  }

  private TonyCommand doctor(Path confDir, String... arguments) throws IOException {
    return TonyCommand.start(
        confDir.toString(),
        cluster().hadoopClasspath(),
        folder.getRoot().toPath(),
        Stream.concat(Stream.of("doctor", "-conf", "tony.am.memory=256m"), Arrays.stream(arguments))
            .toList());
  }

  private static String line(TonyCommand doctor, String check) {
    return doctor.lines().stream()
        .filter(line -> line.matches("\\w+ +" + check + " .*"))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no line of " + check + " in\n" + doctor.text()));
  }

  private static void assertLine(TonyCommand doctor, String check, String... parts) {
    String line = line(doctor, check);
    for (String part : parts) {
      assertTrue("'" + part + "' is not in " + line, line.contains(part));
    }
  }

  /** The cluster's configuration, with one thing in it replaced. */
  private Path confWith(String file, String address, String other) throws IOException {
    Path copy = folder.newFolder("conf").toPath();
    for (String name : List.of("core-site.xml", "hdfs-site.xml", "yarn-site.xml")) {
      String text = Files.readString(cluster().confDir().resolve(name), StandardCharsets.UTF_8);
      Files.writeString(
          copy.resolve(name),
          name.equals(file) ? text.replace(address, other) : text,
          StandardCharsets.UTF_8);
    }
    return copy;
  }

  @Test
  public void shouldFindAHealthyInstallationInOrder() throws Exception {
    try (TonyCommand doctor = doctor(cluster().confDir())) {
      doctor.assertExit(0);
      for (String check :
          List.of("java", "hadoop", "config", "user", "hdfs", "yarn", "queue", "limits")) {
        assertLine(doctor, check, "ok ");
      }
      assertLine(doctor, "launch", "ok ", doctor.application() + " ran 1 task");
      assertLine(doctor, "nodes", "ok ", "Java " + System.getProperty("java.version"), "Python 3.");
      assertLine(doctor, "links", "ok ", "/proxy/" + doctor.application(), "/containerlogs/");
    }
  }

  @Test
  public void shouldNameTheQueuesThereAreAndSubmitNothing() throws Exception {
    int before = applications();
    try (TonyCommand doctor = doctor(cluster().confDir(), "-queue", "nightly")) {
      doctor.assertExit(3);
      assertLine(doctor, "queue", "failed ", "queue nightly does not exist", "[default]");
      assertLine(doctor, "limits", "ok ");
      assertLine(doctor, "launch", "skipped ", "needs queue");
    }
    assertEquals(before, applications());
  }

  @Test
  public void shouldSayWhichResourceManagerDoesNotAnswer() throws Exception {
    String address = cluster().configuration().get("yarn.resourcemanager.address");
    Path conf = confWith("yarn-site.xml", address, "localhost:1");
    long start = System.nanoTime();
    try (TonyCommand doctor = doctor(conf)) {
      doctor.assertExit(3);
      assertLine(doctor, "hdfs", "ok ");
      assertLine(
          doctor,
          "yarn",
          "failed ",
          "Connection refused",
          "Check that the ResourceManager at localhost:1 runs");
      assertLine(doctor, "launch", "skipped ", "needs limits, queue");
    }
    assertInTime(start);
  }

  @Test
  public void shouldSayWhichFileSystemDoesNotAnswer() throws Exception {
    String address = cluster().configuration().get("fs.defaultFS");
    Path conf = confWith("core-site.xml", address, "hdfs://localhost:1");
    long start = System.nanoTime();
    try (TonyCommand doctor = doctor(conf)) {
      doctor.assertExit(3);
      assertLine(
          doctor, "hdfs", "failed ", "Connection refused", "the DataNodes of hdfs://localhost:1");
      assertLine(doctor, "yarn", "ok ");
      assertLine(doctor, "launch", "skipped ", "needs hdfs");
    }
    assertInTime(start);
  }

  @Test
  public void shouldTellWhenTheNodesHaveNotTheJavaThatItIsTold() throws Exception {
    try (TonyCommand doctor =
        doctor(cluster().confDir(), "-conf", "tony.java.home=/no/such/java")) {
      doctor.assertExit(3);
      assertLine(doctor, "launch", "failed ", "The nodes need Java 17", "set tony.java.home");
    }
  }

  @Test
  public void shouldEndItsJobWhenItIsInterrupted() throws Exception {
    int before = applications();
    try (TonyCommand doctor = doctor(cluster().confDir())) {
      doctor.await("limits");
      while (applications() == before) {
        Thread.sleep(50); // YARN has no event for a new application
      }
      doctor.terminate();
      doctor.assertExit(143);
    }
    assertEquals(List.of(), stagingFolders());
  }

  private static void assertInTime(long start) {
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertTrue("it took " + took, took.compareTo(BOUND) < 0);
  }
}
