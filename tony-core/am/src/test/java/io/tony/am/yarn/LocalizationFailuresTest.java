package io.tony.am.yarn;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Event.ContainerEnd;
import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.FailureKind;
import io.tony.model.TaskId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.junit.Test;

public class LocalizationFailuresTest {
  private static final TaskId WORKER = new TaskId("worker", 0);

  private final LocalizationFailures failures =
      new LocalizationFailures(
          JobSpecReader.read(
                  TonyConfig.builder()
                      .layer(
                          "test",
                          Map.of(
                              "tony.worker.instances", "2",
                              "tony.worker.resources", "hdfs://h/a.zip,hdfs://h/b.csv",
                              "tony.application.executes", "true"))
                      .build(),
                  new Problems())
              .orElseThrow());

  private Optional<ContainerEnd> end(int status, String diagnostics, TaskId task, String node) {
    return failures.classify(
        ContainerStatus.newInstance(
            ContainerId.fromString("container_1700000000000_0001_01_000002"),
            ContainerState.COMPLETE,
            diagnostics,
            status),
        task,
        node);
  }

  private ContainerEnd notLocalized(String diagnostics) {
    return notLocalized(diagnostics, "node1");
  }

  private ContainerEnd notLocalized(String diagnostics, String node) {
    return end(ContainerExitStatus.INVALID, diagnostics, WORKER, node).orElseThrow();
  }

  private static String trace(String cause) {
    return "[2026-11-22 21:09:14.176]\n"
        + "java.lang.reflect.UndeclaredThrowableException\n"
        + "\tat org.apache.hadoop.security.UserGroupInformation.doAs(UserGroupInformation.java:1)\n"
        + "Caused by: org.apache.hadoop.yarn.exceptions.YarnException: Download and unpack failed\n"
        + "\t... 10 more\n"
        + cause
        + "\n\tat org.apache.hadoop.yarn.util.FSDownload.unpack(FSDownload.java:358)\n"
        + "\t... 17 more\n";
  }

  @Test
  public void shouldTellTheInnermostCause() {
    assertEquals(
        new ContainerEnd(
            FailureKind.LOST,
            "its node could not fetch or unpack the task's files: java.io.IOException: Truncated"
                + " ZIP file"),
        notLocalized(trace("Caused by: java.io.IOException: Truncated ZIP file")));
    assertTrue(
        notLocalized("[2026-11-22 21:09:14.176]User alice not found")
            .message()
            .endsWith(": User alice not found"));
    assertTrue(notLocalized("").message().endsWith(": YARN does not say why"));
  }

  @Test
  public void shouldNotTryOnceMoreWhatFailsByItsFileAgain() {
    for (String cause :
        List.of(
            "java.io.FileNotFoundException: File does not exist: hdfs://h/a.zip",
            "java.io.IOException: Resource hdfs://h/b.csv changed on src filesystem - was 170000",
            "AccessControlException: Permission denied: user=alice, access=READ, inode=/a.zip",
            trace("Caused by: java.util.zip.ZipException: Unexpected record signature"),
            trace("Caused by: java.io.IOException: Truncated ZIP file"))) {
      assertEquals(cause, FailureKind.LOST, notLocalized(cause).cause());
      ContainerEnd second = notLocalized(cause.replace("170000", "180000"));
      assertEquals(cause, FailureKind.INVALID, second.cause());
      assertTrue(
          second.message(),
          second
              .message()
              .endsWith(
                  ", as it was before. Check that the job's user can read them, that they are"
                      + " whole, and that nobody changes them while the job runs: hdfs://h/a.zip,"
                      + " hdfs://h/b.csv"));
      assertEquals(Optional.empty(), end(0, "", WORKER, "node1"));
    }
  }

  @Test
  public void shouldAskAnotherNodeAboutATar() {
    String cause =
        trace(
            "Caused by: ExitCodeException: Error executing command. gzip -dc | (cd '/a/1' && tar -x"
                + " ) Process exited with exit code 2.");
    assertEquals(FailureKind.LOST, notLocalized(cause, "node1").cause());
    assertEquals(FailureKind.LOST, notLocalized(cause, "node1").cause());
    assertEquals(FailureKind.LOST, notLocalized(cause, "").cause());
    assertEquals(FailureKind.LOST, notLocalized(cause, "node1").cause());
    assertEquals(FailureKind.INVALID, notLocalized(cause, "node2").cause());
  }

  @Test
  public void shouldTryAgainWhereItIsAnotherTaskOrReason() {
    String truncated = trace("Caused by: java.io.IOException: Truncated ZIP file");
    assertEquals(FailureKind.LOST, notLocalized(truncated).cause());
    assertEquals(
        FailureKind.LOST,
        end(ContainerExitStatus.INVALID, truncated, new TaskId("worker", 1), "node1")
            .orElseThrow()
            .cause());
    assertEquals(FailureKind.LOST, notLocalized("Permission denied: user=alice").cause());
  }

  @Test
  public void shouldForgetItWhereAContainerHasRun() {
    String truncated = trace("Caused by: java.io.IOException: Truncated ZIP file");
    assertEquals(FailureKind.LOST, notLocalized(truncated).cause());
    assertEquals(Optional.empty(), end(1, truncated, WORKER, "node1"));
    assertEquals(FailureKind.LOST, notLocalized(truncated).cause());
  }

  @Test
  public void shouldTryAgainWhatMayPassOrIsTheNodes() {
    for (String cause :
        List.of(
            "java.net.ConnectException: Call From a to b failed: Connection refused",
            "Caused by: java.io.IOException: Connection reset by peer",
            "java.io.EOFException: End of File Exception between local host is: a",
            "org.apache.hadoop.hdfs.BlockMissingException: Could not obtain block",
            "DiskChecker$DiskErrorException: No space available in any of the local directories.",
            "Application initialization failed (exitCode=255) with output: User alice not found",
            "")) {
      assertEquals(cause, FailureKind.LOST, notLocalized(cause, "node1").cause());
      assertEquals(cause, FailureKind.LOST, notLocalized(cause, "node2").cause());
    }
  }
}
