package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.Test;

/** How jobs fail, what is told of it, and what is tried again. */
public class FailureIT extends ClusterTest {
  /** benchmarks/failure tells the time itself. */
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @Test
  public void shouldReportAFailedProgramAtOnce() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes",
            "if [ $TASK_INDEX = 1 ]; then echo the reason >&2; date +%s%3N > "
                + folder.getRoot()
                + "/end; exit 3; fi; sleep 4343",
            "-conf",
            "tony.worker.instances=2",
            "-conf",
            "tony.task.heartbeat-interval-ms=" + 3 * LIMIT.toMillis(),
            "-conf",
            "tony.task.stop-grace-ms=" + 3 * LIMIT.toMillis())) {
      tony.assertExit(1);
      Instant ended = Instant.now();

      String application = tony.application();
      JobEvent failure = events(application, JobEvent.Type.TASK_FAILED).get(0);
      Instant exited =
          Instant.ofEpochMilli(
              Long.parseLong(Files.readString(folder.getRoot().toPath().resolve("end")).strip()));
      Duration took = Duration.between(exited, ended);
      assertTrue("it waited for a heartbeat or a grace: " + took, took.compareTo(LIMIT) < 0);
      assertEquals("worker:1", failure.task().toString());
      assertEquals("3", failure.detail("exitCode"));
      assertEquals(List.of(), processes("sleep 4343"));

      List<String> lines = tony.lines();
      assertEquals("The last lines of the stderr of worker:1:", lines.get(lines.size() - 3));
      assertEquals("    the reason", lines.get(lines.size() - 2));
      String last = lines.get(lines.size() - 1);
      assertTrue(last, last.contains("(PROGRAM): worker:1 exited with code 3, log http://"));
      assertTrue(last, last.endsWith(failure.detail("log")));
      assertEquals(FinalApplicationStatus.FAILED, report(application).getFinalApplicationStatus());
    }
  }

  @Test
  public void shouldSayWhichOptionAJvmRefuses() throws Exception {
    for (String key : List.of("tony.task.executor.jvm.opts", "tony.task.am.jvm.opts")) {
      try (TonyCommand tony =
          submit(
              "-executes",
              "true",
              "-conf",
              "tony.worker.instances=1",
              "-conf",
              key + "=-XX:+NoSuchThing")) {
        tony.assertRefusesJvmOption(key);
      }
    }
  }

  @Test
  public void shouldStartTheGangAgainWithinItsBudget() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "test $TONY_ATTEMPT = 1",
            "-conf", "tony.worker.instances=2",
            "-conf", "tony.gang.max-restarts=1")) {
      tony.assertExit(0);
      assertEquals(1, events(tony.application(), JobEvent.Type.GANG_RESTARTED).size());
      assertTrue(tony.text(), tony.text().contains("the gang is started again (PROGRAM, 0 more"));
    }
  }

  @Test
  public void shouldStartTheGangAgainWhenAnExecutorIsKilled() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes",
            "if [ $TONY_ATTEMPT = 0 ]; then sleep 4444; fi",
            "-conf",
            "tony.worker.instances=2")) {
      tony.await("2/2 tasks running");
      List<ProcessHandle> executors = processes("io.tony.executor.TaskExecutor");
      // The shells that YARN starts name the class, too; the JVM is the one without children of
      // ours.
      executors.stream()
          .filter(process -> process.info().command().orElse("").endsWith("java"))
          .findFirst()
          .orElseThrow()
          .destroyForcibly();
      tony.assertExit(0);
      assertEquals(List.of(), processes("sleep 4444"));
      JobEvent restart = events(tony.application(), JobEvent.Type.GANG_RESTARTED).get(0);
      assertEquals("LOST", restart.detail("kind"));
    }
  }

  private static final String ONLY_THE_FAILURE_OF_ALL =
      "tony.application.fail-on-worker-failure-enabled=false";

  private static List<String> tasks(String application, JobEvent.Type type) throws IOException {
    return events(application, type).stream()
        .map(event -> event.task().toString())
        .sorted()
        .toList();
  }

  /** The job ended with the failure of this task alone, and stopped the others. */
  private static void assertFailedWith(String task, String application, String... others)
      throws IOException {
    JobEvent end = events(application, JobEvent.Type.JOB_FINISHED).get(0);
    assertEquals("FAILED", end.detail("status"));
    assertEquals("PROGRAM", end.detail("kind"));
    assertEquals(task, end.detail("task"));
    assertEquals(List.of(task), tasks(application, JobEvent.Type.TASK_FAILED));
    assertEquals(List.of(others), tasks(application, JobEvent.Type.TASK_STOPPED));
    assertEquals(List.of(), events(application, JobEvent.Type.GANG_RESTARTED));
  }

  @Test
  public void shouldGoOnWithoutAFailedWorkerWhereOnlyTheFailureOfAllCounts() throws Exception {
    String go = folder.getRoot() + "/go";
    try (TonyCommand tony =
        submit(
            "-executes",
            "[ $TASK_INDEX = 0 ] || exit 3; until [ -e '" + go + "' ]; do sleep 0.1; done",
            "-conf",
            "tony.worker.instances=2",
            "-conf",
            ONLY_THE_FAILURE_OF_ALL)) {
      tony.await("worker:1 exited with code 3");
      write("go", "");
      tony.assertExit(0);
      assertTrue(tony.text(), tony.text().contains("1 of 2 tasks succeeded"));
      String application = tony.application();
      assertEquals(List.of("worker:1"), tasks(application, JobEvent.Type.TASK_FAILED));
      assertEquals(List.of("worker:0"), tasks(application, JobEvent.Type.TASK_SUCCEEDED));
      assertEquals(List.of(), events(application, JobEvent.Type.GANG_RESTARTED));
    }
  }

  @Test
  public void shouldFailWithItsChiefThoughOnlyTheFailureOfAllCounts() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "[ $TASK_INDEX = 1 ] || exit 3; sleep 4344",
            "-conf", "tony.worker.instances=2",
            "-conf", ONLY_THE_FAILURE_OF_ALL)) {
      tony.assertExit(1);
      assertFailedWith("worker:0", tony.application(), "worker:1");
      assertEquals(List.of(), processes("sleep 4344"));
    }
  }

  @Test
  public void shouldFailWithARoleThatStopsItThoughOnlyTheFailureOfAllCounts() throws Exception {
    try (TonyCommand tony =
        submit(
            "-conf", "tony.worker.instances=2",
            "-conf", "tony.worker.command=sleep 4345",
            "-conf", "tony.data.instances=1",
            "-conf", "tony.data.memory=128m",
            "-conf", "tony.data.command=exit 4",
            "-conf", "tony.application.stop-on-failure-roles=data",
            "-conf", ONLY_THE_FAILURE_OF_ALL)) {
      tony.assertExit(1);
      assertFailedWith("data:0", tony.application(), "worker:0", "worker:1");
      assertEquals(List.of(), processes("sleep 4345"));
    }
  }

  @Test
  public void shouldNameTheLimitWhenAProgramRunsTooLong() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "trap '' TERM; sleep 4545 & wait; sleep 4545",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.task.stop-grace-ms=500",
            "-conf", "tony.task.executor.execution-timeout-ms=1500")) {
      tony.assertExit(5);
      assertTrue(
          tony.text(),
          tony.text().contains("longer than 1500 ms (tony.task.executor.execution-timeout-ms)"));
      assertEquals(List.of(), processes("sleep 4545"));
    }
  }

  @Test
  public void shouldNameWhatIsMissingWhenTheClusterCannotHoldTheGang() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "sleep 4646",
            "-conf", "tony.worker.instances=9",
            "-conf", "tony.worker.memory=3g",
            "-conf", "tony.container.allocation.timeout=4000")) {
      tony.assertExit(5);
      assertTrue(tony.text(), tony.text().contains("YARN did not give all containers within 4 s"));
      assertTrue(tony.text(), tony.text().contains("of 9 are missing, for worker:"));
    }
  }

  /** This cluster's nodes, as all without LinuxContainerExecutor, do not know the request. */
  @Test
  public void shouldRunNothingOnTheBareNodeThatAsksForDocker() throws Exception {
    java.nio.file.Path ran = folder.getRoot().toPath().resolve("ran");
    try (TonyCommand tony =
        submit(
            "-executes", "touch " + ran,
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.docker.enabled=true",
            "-conf", "tony.docker.containers.image=library/train:1")) {
      tony.assertExit(1);
      tony.await("its node runs it outside Docker, without the image library/train:1");
      assertFalse(Files.exists(ran));
    }
  }

  /** A container does not start in so short a time. */
  @Test
  public void shouldNameTheExecutorsThatDidNotRegisterInTime() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "sleep 4748",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.container.registration.timeout=100ms")) {
      tony.assertExit(5);
      String expected =
          "not every executor registered within 100 ms (tony.container.registration.timeout):"
              + " worker:0 did not";
      assertTrue(tony.text(), tony.text().contains(expected));
      String application = tony.application();
      assertEquals(
          "TIMEOUT", events(application, JobEvent.Type.JOB_FINISHED).get(0).detail("kind"));
      assertEquals(List.of(), events(application, JobEvent.Type.TASK_REGISTERED));
      assertEquals(List.of("worker:0"), tasks(application, JobEvent.Type.TASK_STOPPED));
    }
  }

  @Test
  public void shouldEndTheJobAtTheApplicationsTimeout() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "sleep 4747",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.application.timeout=6000")) {
      tony.assertExit(5);
      assertTrue(tony.text(), tony.text().contains("(tony.application.timeout)"));
      assertEquals(List.of(), processes("sleep 4747"));
    }
  }

  /** A JVM does not start in so short a time. */
  @Test
  public void shouldGiveUpAnApplicationMasterThatDoesNotStartInTime() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "sleep 5050",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.am.startup-timeout=200ms")) {
      tony.assertExit(5);
      assertTrue(tony.text(), tony.text().contains("(tony.am.startup-timeout)"));
      assertEquals(
          YarnApplicationState.KILLED, report(tony.application()).getYarnApplicationState());
    }
  }

  @Test
  public void shouldSayThatTheMasterWasLost() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "sleep 4848",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.am.max-attempts=1")) {
      tony.await("1/1 tasks running");
      killMaster();
      tony.assertExit(3);
      assertTrue(
          tony.text(),
          tony.text().contains("(AM_LOST): the ApplicationMaster was lost; 1 was tried"));
      assertEquals(List.of(), cluster().awaitIdle(IDLE_WITHIN));
      assertEquals(List.of(), processes("sleep 4848"));
    }
  }

  @Test
  public void shouldDeleteTheStagingFolderOfAnEarlierJobThatNobodyCouldDelete() throws Exception {
    String left;
    try (TonyCommand tony =
        submit(
            "-executes", "sleep 4949",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.am.max-attempts=1")) {
      tony.await("1/1 tasks running");
      tony.kill();
      master("").destroy(); // as YARN does, which may start another one all the same
      left = tony.application();
      assertEquals(List.of(), cluster().awaitIdle(IDLE_WITHIN));
      assertEquals(List.of(left), stagingFolders());
    }
    try (FileSystem fs = cluster().fileSystem()) {
      Instant hourAgo = Instant.now().minus(Duration.ofMinutes(61));
      fs.setTimes(new Path(staging(fs), left), hourAgo.toEpochMilli(), -1);
    }
    try (TonyCommand next = submit("-executes", "true", "-conf", "tony.worker.instances=1")) {
      next.assertExit(0);
    }
    assertEquals(List.of(), stagingFolders());
  }
}
