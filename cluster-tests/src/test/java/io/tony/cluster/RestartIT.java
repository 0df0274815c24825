package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.event.UsageFact.Goodput;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import io.tony.testing.TonyCommand;
import io.tony.timeline.GoodputLine;
import io.tony.timeline.PreciseDuration;
import io.tony.timeline.Timeline;
import io.tony.timeline.YarnTimes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.junit.Test;

/** What is started again after a failure, and what is kept. */
public class RestartIT extends ClusterTest {
  private static final String RUNNING = "2/2 tasks running";

  /** Of two workers, number 1 fails when it is told to, in its first attempt only. */
  private TonyCommand failsOnce(String... conf) throws Exception {
    Path here = folder.getRoot().toPath();
    String[] arguments = new String[6 + 2 * conf.length];
    arguments[0] = "-executes";
    arguments[1] =
        "while [ ! -e "
            + here.resolve("go")
            + " ]; do if [ $TONY_ATTEMPT = 0 ] && [ $TASK_INDEX = 1 ] && [ -e "
            + here.resolve("fail")
            + " ]; then exit 1; fi; sleep 0.1; done";
    arguments[2] = "-conf";
    arguments[3] = "tony.worker.instances=2";
    arguments[4] = "-conf";
    arguments[5] = "tony.gang.max-lost-restarts=1";
    for (int i = 0; i < conf.length; i++) {
      arguments[6 + 2 * i] = "-conf";
      arguments[7 + 2 * i] = conf[i];
    }
    return submit(arguments);
  }

  private static List<String> pids(String application, String task) throws Exception {
    return events(application, JobEvent.Type.TASK_STARTED).stream()
        .filter(event -> event.task().toString().equals(task))
        .map(event -> event.detail("pid"))
        .toList();
  }

  @Test
  public void shouldStartTheGangAgainInTheSameContainers() throws Exception {
    try (TonyCommand tony = failsOnce("tony.gang.max-restarts=1")) {
      tony.await(RUNNING);
      Map<String, Long> before = executors();
      assertEquals(before.toString(), 2, before.size());
      write("fail", "");
      tony.await(RUNNING, 2);
      assertEquals(before, executors());
      write("go", "");
      tony.assertExit(0);

      String application = tony.application();
      List<JobEvent> restarts = events(application, JobEvent.Type.GANG_RESTARTED);
      assertEquals(restarts.toString(), 1, restarts.size());
      assertEquals("PROGRAM", restarts.get(0).detail("kind"));
      assertEquals("2", restarts.get(0).detail("kept"));
      assertEquals("0", restarts.get(0).detail("left"));
      assertEquals(2, events(application, JobEvent.Type.TASK_ALLOCATED).size());
      assertEquals(2, new TreeSet<>(pids(application, "worker:0")).size());
      assertEquals(2, new TreeSet<>(pids(application, "worker:1")).size());
      assertTimeline(application);
    }
  }

  /** From the submission to the end in YARN, both starts of the gang, nothing left out. */
  private void assertTimeline(String application) throws Exception {
    nothingIsLeft(); // until then YARN does not tell when the application ended
    ApplicationReport report = report(application);
    Timeline timeline =
        Timeline.of(
            events(application),
            new YarnTimes(
                Instant.ofEpochMilli(report.getStartTime()),
                Instant.ofEpochMilli(report.getLaunchTime()),
                Instant.ofEpochMilli(report.getFinishTime()),
                null));
    assertEquals(List.of(), timeline.remarks());
    List<String> phases =
        timeline.phases().stream()
            .map(span -> span.session() + " " + span.stage())
            // These take less than what a clock can tell, now and then.
            .filter(phase -> !phase.endsWith("STARTING") && !phase.endsWith("STOPPING"))
            .toList();
    assertEquals(
        List.of(
            "0 QUEUED",
            "0 LOCALIZING",
            "0 MASTER",
            "0 ALLOCATING",
            "0 LAUNCHING",
            "0 RUNNING",
            "1 LAUNCHING",
            "1 RUNNING",
            "1 REPORTING"),
        phases);
    assertEquals(
        report.getFinishTime() - report.getStartTime(),
        timeline.phases().stream().mapToLong(span -> span.duration().toMillis()).sum());
    assertEquals(
        List.of(
            "worker:0 RESTARTED", "worker:0 SUCCEEDED", "worker:1 FAILED", "worker:1 SUCCEEDED"),
        timeline.attempts().stream().map(attempt -> attempt.task() + " " + attempt.end()).toList());

    Goodput goodput = timeline.goodput();
    assertEquals(Goodput.of(events(application, JobEvent.Type.GOODPUT).get(0)), goodput);
    assertEquals(Set.of(FailureKind.PROGRAM), goodput.lostMs().keySet());
    assertEquals(1, goodput.restartCount());

    try (TonyCommand tony = tony("timeline", application)) {
      tony.assertExit(0);
      assertTrue(tony.text(), tony.lines().contains(GoodputLine.of(goodput)));
      assertTrue(
          tony.text(),
          tony.text()
              .contains("SUCCEEDED, " + PreciseDuration.format(timeline.duration()) + " from "));
      assertTrue(tony.text(), tony.text().contains("gang restart 1 (PROGRAM): "));
      assertTrue(tony.text(), tony.text().contains("1 kept"));
    }
  }

  /**
   * Kills an executor, lets the job end when all run again, and gives the container that is lost.
   */
  private String replaceOneExecutor(TonyCommand tony) throws Exception {
    tony.await(RUNNING);
    Map<String, Long> before = executors();
    String killed = before.keySet().iterator().next();
    ProcessHandle.of(before.get(killed)).orElseThrow().destroyForcibly();
    tony.await(RUNNING, 2);
    Map<String, Long> after = executors();
    write("go", "");
    tony.assertExit(0);

    before.remove(killed);
    assertEquals(after.toString(), 2, after.size());
    assertTrue(before + " and then " + after, after.entrySet().containsAll(before.entrySet()));
    return killed;
  }

  /** They wait for a third one, for which there is no room before the other job has ended. */
  @Test
  public void shouldChargeTheLossOfTwoExecutorsBeforeTheStartOnce() throws Exception {
    Path room = folder.getRoot().toPath().resolve("room");
    try (TonyCommand other =
        submit(
            "-executes", "until [ -e '" + room + "' ]; do sleep 0.1; done",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.worker.memory=3840m")) {
      other.await("1/1 tasks running");
      try (TonyCommand tony =
          submit(
              "-executes",
              "true",
              "-conf",
              "tony.worker.instances=3",
              "-conf",
              "tony.worker.memory=1700m",
              "-conf",
              "tony.gang.max-lost-restarts=1",
              "-events")) {
        tony.await("\"TASK_REGISTERED\"", 2);
        Map<String, Long> waiting = executors();
        waiting.keySet().retainAll(containers(tony.application()));
        assertEquals(waiting.toString(), 2, waiting.size());
        for (long executor : waiting.values()) {
          ProcessHandle.of(executor).orElseThrow().destroyForcibly();
        }
        tony.await("\"TASK_RESTARTED\"", 2);
        write("room", "");
        tony.assertExit(0);

        assertEquals(
            List.of("LOST job", "LOST incident"),
            events(tony.application(), JobEvent.Type.TASK_RESTARTED).stream()
                .map(event -> event.detail("kind") + " " + event.detail("charged"))
                .toList());
      }
      other.assertExit(0);
    }
  }

  private static List<String> containers(String application) throws Exception {
    return events(application, JobEvent.Type.TASK_ALLOCATED).stream()
        .map(event -> event.detail("container"))
        .toList();
  }

  @Test
  public void shouldReplaceOnlyTheContainerWhoseExecutorIsKilled() throws Exception {
    try (TonyCommand tony = failsOnce()) {
      String killed = replaceOneExecutor(tony);
      String application = tony.application();
      JobEvent restart = events(application, JobEvent.Type.GANG_RESTARTED).get(0);
      assertEquals("LOST", restart.detail("kind"));
      assertEquals("1", restart.detail("kept"));
      assertAnotherNode(application, restart.task(), killed);
    }
  }

  @Test
  public void shouldStartOneTaskAgainWhileTheOtherTrainsOn() throws Exception {
    try (TonyCommand tony = failsOnce("tony.worker.retry-count=1")) {
      tony.await(RUNNING);
      Map<String, Long> before = executors();
      write("fail", "");
      tony.await("worker:1 is started again in its container");
      tony.await(RUNNING, 2);
      assertEquals(before, executors());
      write("go", "");
      tony.assertExit(0);

      assertEquals(before.toString(), 2, before.size());
      String application = tony.application();
      assertEquals(List.of(), events(application, JobEvent.Type.GANG_RESTARTED));
      JobEvent restart = events(application, JobEvent.Type.TASK_RESTARTED).get(0);
      assertEquals("worker:1", restart.task().toString());
      assertEquals("true", restart.detail("alone"));
      assertEquals("kept", restart.detail("where"));
      assertEquals(2, events(application, JobEvent.Type.TASK_ALLOCATED).size());
      assertEquals(1, pids(application, "worker:0").size());
      assertEquals(2, new TreeSet<>(pids(application, "worker:1")).size());
    }
  }

  @Test
  public void shouldGiveALostTaskAloneAnotherContainerOnAnotherNode() throws Exception {
    try (TonyCommand tony =
        failsOnce("tony.worker.retry-count=1", "tony.gang.max-lost-restarts=0")) {
      String killed = replaceOneExecutor(tony);
      assertTrue(tony.text(), tony.text().contains("is started again in a new container"));
      String application = tony.application();
      assertEquals(List.of(), events(application, JobEvent.Type.GANG_RESTARTED));
      JobEvent restart = events(application, JobEvent.Type.TASK_RESTARTED).get(0);
      assertEquals("LOST", restart.detail("kind"));
      assertEquals("true", restart.detail("alone"));
      assertEquals("new", restart.detail("where"));
      assertEquals("0", restart.detail("left"));
      assertAnotherNode(application, restart.task(), killed);
      assertEquals(2, pids(application, restart.task().toString()).size());
      assertEquals(3, events(application, JobEvent.Type.TASK_STARTED).size());
    }
  }

  /** The third container is the task's, and not on the node on which it lost the other one. */
  private static void assertAnotherNode(String application, TaskId task, String lostContainer)
      throws Exception {
    List<JobEvent> allocations = events(application, JobEvent.Type.TASK_ALLOCATED);
    assertEquals(allocations.toString(), 3, allocations.size());
    JobEvent lost =
        allocations.stream()
            .filter(event -> event.detail("container").equals(lostContainer))
            .findFirst()
            .orElseThrow();
    JobEvent next = allocations.get(2);
    assertEquals(task, lost.task());
    assertEquals(task, next.task());
    assertEquals(
        List.of(lost.detail("node")),
        events(application, JobEvent.Type.NODE_AVOIDED).stream()
            .map(event -> event.detail("node"))
            .toList());
    assertNotEquals(lost.detail("node"), next.detail("node"));
  }

  /** Counts to 20, with a checkpoint every 5 steps; worker 0 is killed after step 12. */
  @Test
  public void shouldLoseNoStepBeforeTheLastCheckpoint() throws Exception {
    Path checkpoints = folder.newFolder("checkpoints").toPath();
    Files.writeString(
        folder.newFolder("src").toPath().resolve("count.py"),
        """
        import os, signal
        me = os.path.join(os.environ["TONY_CHECKPOINT_DIR"], os.environ["TASK_INDEX"])
        attempt = os.environ["TONY_ATTEMPT"]
        step = int(open(me + ".step").read()) if os.path.exists(me + ".step") else 0
        with open(me + ".log", "a", buffering=1) as log:
            while step < 20:
                step += 1
                log.write(f"{attempt} {step}\\n")
                if step % 5 == 0:
                    with open(me + ".new", "w") as checkpoint:
                        checkpoint.write(str(step))
                    os.replace(me + ".new", me + ".step")
                if me.endswith("/0") and attempt == "0" and step == 12:
                    os.kill(os.getpid(), signal.SIGKILL)
        """);
    try (TonyCommand tony =
        submit(
            "-executes",
            "count.py",
            "-python_binary_path",
            "python3",
            "-src_dir",
            "src",
            "-conf",
            "tony.worker.instances=2",
            "-conf",
            "tony.gang.max-restarts=1",
            "-conf",
            "tony.application.checkpoint-dir=" + checkpoints)) {
      tony.assertExit(0);
      JobEvent restart = events(tony.application(), JobEvent.Type.GANG_RESTARTED).get(0);
      assertTrue(restart.toString(), restart.detail("message").contains("signal 9"));
    }
    List<String> steps = Files.readAllLines(checkpoints.resolve("0.log"), StandardCharsets.UTF_8);
    List<String> expected =
        Stream.concat(
                IntStream.rangeClosed(1, 12).mapToObj(step -> "0 " + step),
                IntStream.rangeClosed(11, 20).mapToObj(step -> "1 " + step))
            .toList();
    assertEquals(expected, steps);
    Set<Integer> others = new TreeSet<>();
    for (String line : Files.readAllLines(checkpoints.resolve("1.log"), StandardCharsets.UTF_8)) {
      others.add(Integer.valueOf(line.substring(2)));
    }
    assertEquals(20, others.size());
  }
}
