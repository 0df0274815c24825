package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.testing.BuildArtifacts;
import io.tony.testing.FolderCopy;
import io.tony.testing.LeavesNothing;
import io.tony.testing.Python;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Set;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.Test;

/**
 * Executions in pods: one process for each, which ends with the execution, or before it. What
 * becomes of the application then, and what the execution finds with which Azkaban retries the
 * flow.
 */
public final class PodIT extends Azkaban4Test {

  /** From a step's first line to its word about an application that is there. */
  private static final Duration TOLD_WITHIN = Duration.ofSeconds(5);

  private static final Duration FOLLOWED_WITHIN = Duration.ofSeconds(30);

  /** The sample program dies at its first start, at step 47. */
  private static final int LAST_CHECKPOINT = 40;

  private static PodServer server;

  private int podCount;

  @Before
  public void leaveExecutionsToPods() throws Exception {
    Pod.assumePossible();
    azkaban().takeExecutions(false);
    if (server == null) {
      server = PodServer.start(azkaban(), cluster());
    }
  }

  @After
  public void takeExecutionsAgain() throws Exception {
    azkaban().takeExecutions(true);
  }

  @AfterClass
  public static void endServer() {
    if (server != null) {
      server.close();
      server = null;
    }
  }

  @Test
  public void shouldTrainWithThePluginAsItIsInstalled() throws Exception {
    files()
        .job("train", tony(ONE_WORKER, "src_dir=src", "executes=grep -q words vocabulary.txt"))
        .file("src/vocabulary.txt", "words");
    Execution execution = execute("train");

    try (Pod pod = pod(execution)) {
      assertSucceeds(execution, pod);
    }

    assertEquals("SUCCEEDED", application(execution, "train").finalStatus());
  }

  /** Outside of pods, Azkaban's own tools find an application by its execution. */
  @Test
  public void shouldBeFoundByAzkabanWhereNoPodRunsTheExecution() throws Exception {
    azkaban().takeExecutions(true);
    Path go = root().resolve("go");
    files().job("train", tony(ONE_WORKER, "executes=" + waitFor(go)));
    Execution execution = execute("train");
    execution.awaitLine("train", "1/1 tasks running");

    assertEquals(List.of(execution.application("train")), server.find(execution.id()));
    Files.createFile(go);

    execution.assertEnds("SUCCEEDED");
  }

  /** Azkaban's cleaner ends what a stopped execution left, but not what another one follows. */
  @Test
  public void shouldFollowWhatALostPodLeftAndKeepItFromAzkabansCleaner() throws Exception {
    int before = applications();
    Path go = root().resolve("go");
    files().job("train", tony(ONE_WORKER, "executes=" + waitFor(go)));
    Execution lost = execute(files().folder(), "train", retried("EXECUTION_STOPPED"));
    String id;
    try (Pod pod = pod(lost)) {
      pod.awaitLine("train", "1/1 tasks running");
      id = pod.application("train");
      pod.kill();
      pod.awaitEnd();
    }

    Execution next = startedByAzkaban(server.ended(lost.id()));
    try (Pod pod = pod(next)) {
      pod.awaitLine("train", "and this execution follows it");
      assertEquals("EXECUTION_STOPPED", lost.status());
      String control = server.submit(lost.id());
      assertEquals(List.of(control), server.find(lost.id()));
      server.clean();
      Files.createFile(go);

      assertSucceeds(next, pod);
      assertEquals("KILLED", cluster().application(control).state());
    }

    assertEquals(id, next.application("train"));
    assertEquals(before + 2, applications());
    assertFollowedSoon(next.log("train"), id);
    Set<String> tags = cluster().application(id).tags();
    assertTrue(tags.toString(), tags.contains("azkaban.execution:" + lost.id()));
    assertFalse(tags.toString(), tags.contains("azkaban.flow.execid:" + lost.id()));
  }

  /** The first pod's flow is retried, once; that of the second is not any more. */
  @Test
  public void shouldEndTheApplicationWithItsPodUnlessTheFlowIsRetried() throws Exception {
    files().job("train", tony("tony.worker.instances=2", SLEEPS));
    Execution first = execute(files().folder(), "train", retried("EXECUTION_STOPPED"));
    String id;
    try (Pod pod = pod(first)) {
      pod.awaitLine("train", "2/2 tasks running");
      id = pod.application("train");
      pod.terminate();
      pod.awaitEnd();
      assertContains(
          pod.log("train"),
          "This pod is being ended. Azkaban starts the flow again (flow parameter flow.retry.statuses): "
              + id
              + " is left to run, and the next execution follows it.");
    }
    assertEquals("RUNNING", cluster().application(id).state());

    Execution second = startedByAzkaban(server.ended(first.id()));
    try (Pod pod = pod(second)) {
      pod.awaitLine("train", "and this execution follows it");
      pod.terminate();
      pod.awaitEnd();
    }
    second.assertEnds("FAILED");
    second.assertLoggedOnce(
        "train",
        "This pod is being ended, and Azkaban does not retry the flow after EXECUTION_STOPPED: the"
            + " job is stopped.");
    second.assertLogged("train", "containers left: 0");
    assertEquals("KILLED", cluster().application(id).state());
    assertEquals(List.of(), LeavesNothing.leftovers(cluster()));
    assertEquals(0, server.ended(second.id()));
    assertEquals("Azkaban has no log of a step that its pod did not end", "", first.log("train"));
  }

  @Test
  public void shouldGoOnFromTheCheckpointOfTheExecutionThatAFlowRetryRepeats() throws Exception {
    FolderCopy.copy(
        BuildArtifacts.file("sample-flows/resume/src"), files().folder().resolve("src"));
    files()
        .job(
            "train",
            tony(
                ONE_WORKER,
                "src_dir=src",
                "executes=count.py",
                "python_binary_path=" + Python.path()))
        .job(
            "report",
            "type=command",
            "dependencies=train",
            "command=echo from ${tony.output.first_step} to ${tony.output.sum}");
    Execution failed = execute(files().folder(), "report", retried("FAILED"));
    try (Pod pod = pod(failed)) {
      failed.assertEnds("FAILED");
      pod.awaitEnd();
    }

    Execution next = startedByAzkaban(server.ended(failed.id()));
    try (Pod pod = pod(next)) {
      assertSucceeds(next, pod);
    }

    next.assertLoggedOnce(
        "train",
        "Azkaban retries the flow: this execution has the checkpoints of execution "
            + failed.id()
            + " ("
            + failed.application("train")
            + ", FAILED)");
    next.assertLogged("report", "from " + LAST_CHECKPOINT + " to 5050");
  }

  private Pod pod(Execution execution) throws Exception {
    return Pod.start(azkaban(), root().resolve("pod" + podCount++), execution.id());
  }

  private static FlowOptions retried(String status) {
    return new FlowOptions()
        .parameter("flow.retry.statuses", status)
        .parameter("flow.max.retries", "1");
  }

  private static void assertContains(String log, String text) {
    assertTrue("'" + text + "' is missing in:\n" + log, log.contains(text));
  }

  /** Azkaban has the log of a pod only when it has ended; until then, a failure shows the pod's. */
  private static void assertSucceeds(Execution execution, Pod pod) throws Exception {
    String status = execution.awaitEnd();
    assertEquals(pod.log() + "\n---- train\n" + pod.log("train"), "SUCCEEDED", status);
    pod.awaitEnd();
  }

  /** Azkaban's time stamps have whole seconds. */
  private static void assertFollowedSoon(String log, String application) {
    LocalDateTime start = time(log, " - TonY ");
    Duration told = Duration.between(start, time(log, application));
    Duration followed = Duration.between(start, time(log, "and this execution follows it"));
    assertTrue(told + "\n" + log, told.compareTo(TOLD_WITHIN) <= 0);
    assertTrue(followed + "\n" + log, followed.compareTo(FOLLOWED_WITHIN) <= 0);
  }

  /** When the first line with a text was written. */
  private static LocalDateTime time(String log, String text) {
    String line = log.lines().filter(one -> one.contains(text)).findFirst().orElseThrow();
    return LocalDateTime.parse(
        line.substring(0, "dd-MM-yyyy HH:mm:ss".length()),
        DateTimeFormatter.ofPattern("dd-MM-yyyy HH:mm:ss"));
  }
}
