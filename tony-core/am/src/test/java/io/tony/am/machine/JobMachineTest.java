package io.tony.am.machine;

import static io.tony.am.machine.Scenario.containersStopped;
import static io.tony.am.machine.Scenario.launched;
import static io.tony.am.machine.Scenario.only;
import static io.tony.am.machine.Scenario.started;
import static io.tony.am.machine.Scenario.stopped;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.Finish;
import io.tony.am.machine.Action.ReleaseContainer;
import io.tony.am.machine.Action.RequestContainers;
import io.tony.am.machine.Action.ShowTensorBoard;
import io.tony.am.machine.Action.StartTask;
import io.tony.am.machine.Action.StopTask;
import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** How a gang starts, runs and ends. Restarts, stops and limits have tests of their own. */
public class JobMachineTest {
  private static final List<Action> NOTHING = List.of();

  private static SampleJob parameterServer() {
    return job().role("ps", 1, Supervision.UNTRACKED).workers(2);
  }

  private static SampleJob withTensorBoard() {
    return job().workers(1).role("tensorboard", 1, Supervision.SIDECAR);
  }

  // ---- The start ----

  @Test
  public void shouldAskForTheContainersOfEveryRoleWhenReady() {
    Scenario job = Scenario.of(parameterServer());

    List<Action> actions = job.ready();

    assertEquals(
        List.of("ps 1", "worker 2"),
        only(RequestContainers.class, actions).stream()
            .map(request -> request.role().name() + " " + request.count())
            .toList());
    assertEquals(Phase.ALLOCATING, job.phase());
    assertEquals("3", job.facts(JobEvent.Type.AM_STARTED).get(0).detail("tasks"));
    assertEquals(1, job.facts(JobEvent.Type.JOB_DESCRIBED).size());
    assertEquals(
        "1 × ps (1024 MiB, 1 vcore); 2 × worker (1024 MiB, 1 vcore)",
        job.facts(JobEvent.Type.GANG_REQUESTED).get(0).detail("resources"));
  }

  @Test
  public void shouldLaunchEachExecutorAsItsContainerComes() {
    Scenario job = Scenario.requested(job().workers(2));

    assertEquals(List.of("worker:0"), launched(job.allocate("worker")));
    assertEquals(List.of("worker:1"), launched(job.allocate("worker")));
    assertEquals(Phase.REGISTERING, job.phase());
  }

  @Test
  public void shouldStartNothingBeforeEveryTaskIsRegistered() {
    Scenario job = Scenario.requested(job().workers(3));
    job.allocate("worker");
    assertEquals(List.of(), started(job.register("worker:0")));
    job.allocate("worker", 2);
    assertEquals(List.of(), started(job.register("worker:2")));

    List<Action> last = job.register("worker:1");

    assertEquals(List.of("worker:0", "worker:1", "worker:2"), started(last));
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(1, job.facts(JobEvent.Type.GANG_RUNNING).size());
  }

  @Test
  public void shouldShowEveryTaskTheCompleteCluster() {
    Scenario job = Scenario.running(parameterServer());

    ClusterSpec complete =
        new ClusterSpec(
            Map.of(
                "ps",
                List.of(Scenario.endpoint(new TaskId("ps", 0))),
                "worker",
                List.of(
                    Scenario.endpoint(new TaskId("worker", 0)),
                    Scenario.endpoint(new TaskId("worker", 1)))));
    assertEquals(3, job.all(StartTask.class).size());
    job.all(StartTask.class).forEach(start -> assertEquals(complete, start.cluster()));
  }

  @Test
  public void shouldTellATaskThePortThatItReservedForTensorBoard() {
    Scenario job = Scenario.allocated(job().workers(1));
    TaskKey key = job.key("worker:0");

    job.happens(new Event.TaskRegistered(Instant.EPOCH, key, new Endpoint("h", 7000), 7001));

    assertEquals(7001, job.all(StartTask.class).get(0).tensorBoardPort());
  }

  @Test
  public void shouldTellOnceWhereTensorBoardListens() {
    Scenario job = Scenario.running(withTensorBoard());
    TaskKey host = job.key("tensorboard:0");

    List<Action> actions = job.tensorBoardListens(host);

    JobEvent fact = job.facts(JobEvent.Type.TENSORBOARD).get(0);
    assertEquals(host.task(), fact.task());
    assertEquals("http://host-tensorboard:6006", fact.detail("url"));
    assertEquals(
        List.of(new ShowTensorBoard("http://host-tensorboard:6006")),
        only(ShowTensorBoard.class, actions));
    assertEquals(NOTHING, job.tensorBoardListens(host));
  }

  @Test
  public void shouldTellNothingOfATaskThatHasNoPortForTensorBoard() {
    Scenario job = Scenario.running(withTensorBoard());

    assertEquals(NOTHING, job.tensorBoardListens(job.key("worker:0")));
  }

  @Test
  public void shouldShowNoTensorBoardWhoseProgramHasEnded() {
    Scenario job = Scenario.running(withTensorBoard());
    TaskKey host = job.key("tensorboard:0");
    job.tensorBoardListens(host);

    List<Action> actions = job.exit(host, 1);

    assertEquals(List.of(new ShowTensorBoard("")), only(ShowTensorBoard.class, actions));
    assertEquals(NOTHING, job.tensorBoardListens(host));
  }

  // ---- Those who look in ----

  @Test
  public void shouldRecordAShellBeforeItIsOpened() {
    Scenario job = Scenario.running(job().workers(2));
    TaskKey worker = job.key("worker:1");

    assertEquals(List.of(new Action.OpenShell(17)), job.shellWanted(worker));
    assertEquals(NOTHING, job.shellLeft(worker));

    List<JobEvent> shells = job.facts(JobEvent.Type.SHELL);
    assertEquals(List.of("false", "true"), shells.stream().map(e -> e.detail("left")).toList());
    shells.forEach(shell -> assertEquals("ada", shell.detail("who")));
    shells.forEach(shell -> assertEquals(worker.task(), shell.task()));
  }

  @Test
  public void shouldOpenNoShellInAContainerThatIsNoMore() {
    Scenario job = Scenario.running(job().workers(1).retries(0, 1));
    TaskKey before = job.key("worker:0");
    job.containerEnds("worker:0", FailureKind.LOST, "its node is gone");

    assertEquals(
        List.of(new Action.RefuseShell(17, "the container of worker:0 has ended")),
        job.shellWanted(before));
    assertEquals(List.of(), job.facts(JobEvent.Type.SHELL));
  }

  @Test
  public void shouldOpenNoShellInAJobThatIsEnding() {
    Scenario job = Scenario.running(job().workers(1));
    TaskKey worker = job.key("worker:0");
    job.stopBy("ada");

    assertEquals(List.of(new Action.RefuseShell(17, "the job is ending")), job.shellWanted(worker));
    assertEquals(List.of(), job.facts(JobEvent.Type.SHELL));
  }

  @Test
  public void shouldRecordThatAContainerIsKeptAndDecideNothing() {
    Scenario job = Scenario.running(job().workers(2));
    TaskKey worker = job.key("worker:1");

    assertEquals(NOTHING, job.held(worker));

    JobEvent held = job.facts(JobEvent.Type.TASK_HELD).get(0);
    assertEquals(worker.task(), held.task());
    assertEquals("3", held.detail("exitCode"));
    assertEquals("1800000", held.detail("limit"));
    assertEquals(Phase.RUNNING, job.phase());
  }

  @Test
  public void shouldNotRecordThatAContainerIsKeptOfATaskThatHasEnded() {
    Scenario job = Scenario.running(job().workers(2).retries(1, 0));
    TaskKey before = job.key("worker:1");
    job.exit(before, 1);

    job.held(before);

    assertEquals(List.of(), job.facts(JobEvent.Type.TASK_HELD));
  }

  @Test
  public void shouldReleaseASurplusContainer() {
    Scenario job = Scenario.requested(parameterServer());
    job.allocate("worker", 2);

    assertEquals(List.of(new ReleaseContainer("c2")), job.allocate("worker"));

    job.allocate("ps");
    assertEquals(List.of(new ReleaseContainer("c4")), job.allocate("ps"));
    job.registerAll();
    assertEquals(List.of(new ReleaseContainer("c5")), job.allocate("worker"));
    assertEquals(Phase.RUNNING, job.phase());
  }

  @Test
  public void shouldTakeARepeatedRegistrationForOne() {
    Scenario job = Scenario.allocated(job().workers(2));
    job.register("worker:0");

    assertEquals(NOTHING, job.register("worker:0"));

    job.register("worker:1");
    assertEquals(NOTHING, job.register("worker:0"));
    assertEquals(2, job.facts(JobEvent.Type.TASK_REGISTERED).size());
  }

  @Test
  public void shouldStartEachTaskAloneWhenTheyAreServedAsTheyCome() {
    Scenario job = Scenario.requested(job().workers(2).firstComeFirstServed());
    job.allocate("worker");

    List<Action> actions = job.register("worker:0");

    assertEquals(List.of("worker:0"), started(actions));
    Endpoint own = Scenario.endpoint(new TaskId("worker", 0));
    assertEquals(
        new ClusterSpec(Map.of("worker", List.of(own))),
        only(StartTask.class, actions).get(0).cluster());
    assertEquals(Phase.ALLOCATING, job.phase());

    job.exit("worker:0", 0);
    job.allocate("worker");
    assertEquals(List.of("worker:1"), started(job.register("worker:1")));
    job.exit("worker:1", 0);
    assertEquals(JobResult.Status.SUCCEEDED, job.result().status());
  }

  // ---- Success ----

  @Test
  public void shouldSucceedWhenEveryTrackedTaskHas() {
    Scenario job = Scenario.running(job().workers(2));

    job.exit("worker:1", 0);
    assertEquals(Phase.RUNNING, job.phase());
    job.exit("worker:0", 0);

    assertEquals(JobResult.succeeded("2 of 2 tasks succeeded"), job.result());
    assertEquals(Phase.FINISHED, job.phase());
  }

  @Test
  public void shouldStopTheParameterServersWhenTheWorkersAreDone() {
    Scenario job = Scenario.running(parameterServer());
    job.exit("worker:0", 0);

    List<Action> actions = job.exit("worker:1", 0);

    assertEquals(List.of("worker:1", "ps:0"), stopped(actions));
    assertEquals(List.of(), only(Finish.class, actions));
    job.exit("ps:0", 143);
    assertEquals(JobResult.succeeded("2 of 2 tasks succeeded"), job.result());
    assertEquals(TaskState.STOPPED, job.stateOf("ps:0"));
  }

  @Test
  public void shouldPassAProgramsOutputsOnToTheLog() {
    Scenario job = Scenario.running(job().workers(1));

    job.exit(job.key("worker:0"), new Event.Exit(0, "", Map.of("auc", "0.93"), "", false, false));

    assertEquals("0.93", job.facts(JobEvent.Type.TASK_SUCCEEDED).get(0).detail("output.auc"));
  }

  @Test
  public void shouldNotEndWhenAnUntrackedTaskEndsWell() {
    Scenario job = Scenario.running(parameterServer());

    job.exit("ps:0", 0);

    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(TaskState.SUCCEEDED, job.stateOf("ps:0"));
  }

  // ---- Failure ----

  @Test
  public void shouldStopTheOthersAndFinishOnceWhenATaskFails() {
    Scenario job = Scenario.running(job().workers(3));

    assertEquals(List.of("worker:1", "worker:0", "worker:2"), stopped(job.exit("worker:1", 7)));
    assertEquals(Phase.STOPPING, job.phase());
    job.exit("worker:2", 143);
    job.exit("worker:0", 143);

    assertEquals(
        new JobResult(
            JobResult.Status.FAILED,
            FailureKind.PROGRAM,
            "worker:1 exited with code 7",
            new TaskId("worker", 1),
            7),
        job.result());
    assertEquals(NOTHING, job.exit("worker:0", 143));
    assertEquals(1, job.facts(JobEvent.Type.JOB_FINISHED).size());
  }

  @Test
  public void shouldRecordWhatAPersonNeedsToKnowOfAFailedTask() {
    Scenario job = Scenario.running(job().workers(1));

    job.exit("worker:0", 139);

    JobEvent failure = job.facts(JobEvent.Type.TASK_FAILED).get(0);
    assertEquals("worker:0 was ended by signal 11 (exit code 139)", failure.detail("message"));
    assertEquals("139", failure.detail("exitCode"));
    assertEquals("PROGRAM", failure.detail("kind"));
    assertEquals("the end of stderr", failure.detail("stderr"));
    assertEquals("node-c0", failure.detail("node"));
    assertEquals("log-c0", failure.detail("log"));
  }

  @Test
  public void shouldFailWhenAnUntrackedTaskFails() {
    Scenario job = Scenario.running(parameterServer());

    assertEquals(List.of("ps:0", "worker:0", "worker:1"), stopped(job.exit("ps:0", 1)));

    job.exit("worker:0", 143);
    job.exit("worker:1", 143);
    assertEquals(new TaskId("ps", 0), job.result().task());
  }

  @Test
  public void shouldNotMindTheFailureOfASidecar() {
    Scenario job = Scenario.running(withTensorBoard());

    job.exit("tensorboard:0", 1);
    assertEquals(Phase.RUNNING, job.phase());
    job.exit("worker:0", 0);

    assertEquals(JobResult.Status.SUCCEEDED, job.result().status());
  }

  @Test
  public void shouldFailWhenASidecarIsLostThatTheGangStillWaitsFor() {
    Scenario job = Scenario.allocated(withTensorBoard());
    job.register("worker:0");

    job.containerEnds("tensorboard:0", FailureKind.LOST, "its node was lost");
    job.exit("worker:0", 143);

    assertEquals(FailureKind.LOST, job.result().kind());
    assertEquals("tensorboard:0 on node-c1: its node was lost", job.result().message());
  }

  @Test
  public void shouldGoOnWithTheOthersWhenOnlyTheFailureOfAllCounts() {
    Scenario job = Scenario.running(job().workers(2).failOnlyWhenAllFail());

    job.exit("worker:1", 1);
    assertEquals(Phase.RUNNING, job.phase());
    job.exit("worker:0", 0);

    assertEquals(JobResult.succeeded("1 of 2 tasks succeeded"), job.result());
  }

  @Test
  public void shouldGoOnWithoutATaskThatUsedTooMuchMemoryWhenOnlyTheFailureOfAllCounts() {
    Scenario job = Scenario.running(job().workers(2).failOnlyWhenAllFail());

    job.containerEnds("worker:1", FailureKind.MEMORY, "too much memory");
    assertEquals(Phase.RUNNING, job.phase());
    job.exit("worker:0", 0);

    assertEquals(JobResult.succeeded("1 of 2 tasks succeeded"), job.result());
  }

  @Test
  public void shouldFailWhenAllFailAndOnlyThatCounts() {
    Scenario job =
        Scenario.running(
            job().role("chief", 1, Supervision.SIDECAR).workers(2).failOnlyWhenAllFail());

    job.exit("worker:0", 1);
    job.exit("worker:1", 2);
    job.exit("chief:0", 143);

    assertEquals("worker:1 exited with code 2", job.result().message());
  }

  @Test
  public void shouldFailAtOnceWhenTheChiefFailsThoughOnlyTheFailureOfAllCounts() {
    Scenario job = Scenario.running(job().workers(2).failOnlyWhenAllFail());

    job.exit("worker:0", 1);
    job.exit("worker:1", 143);

    assertEquals("worker:0 exited with code 1", job.result().message());
  }

  @Test
  public void shouldFailAtOnceWhenARoleStopsTheJobThoughOnlyTheFailureOfAllCounts() {
    Scenario job =
        Scenario.running(
            job()
                .workers(2)
                .role("evaluator", 1, Supervision.TRACKED)
                .stopsJob()
                .failOnlyWhenAllFail());

    assertEquals(Phase.STOPPING, after(job, "evaluator:0"));
  }

  private static Phase after(Scenario job, String failed) {
    job.exit(failed, 1);
    return job.phase();
  }

  @Test
  public void shouldSucceedWithItsChiefWhereThatDecides() {
    Scenario job = Scenario.running(job().workers(3).chiefDecides());
    job.exit("worker:2", 0);
    assertEquals(Phase.RUNNING, job.phase());

    List<Action> actions = job.exit("worker:0", 0);

    assertEquals(List.of("worker:0", "worker:1"), stopped(actions));
    job.exit("worker:1", 143);
    assertEquals(JobResult.succeeded("the chief, worker:0, succeeded"), job.result());
  }

  @Test
  public void shouldNotTolerateALossEvenWhenOnlyTheFailureOfAllCounts() {
    Scenario job = Scenario.running(job().workers(2).failOnlyWhenAllFail());

    job.containerEnds("worker:0", FailureKind.LOST, "its node was lost");
    job.exit("worker:1", 143);

    assertEquals(FailureKind.LOST, job.result().kind());
  }

  @Test
  public void shouldSayWhatTheExecutorSaysWhenTheProgramCouldNotRun() {
    Scenario job = Scenario.running(job().workers(1));

    job.exit(
        job.key("worker:0"),
        new Event.Exit(1, "", Map.of(), "its files cannot be prepared: disk full", false, false));

    assertEquals(FailureKind.PROGRAM, job.result().kind());
    assertEquals("worker:0: its files cannot be prepared: disk full", job.result().message());
  }

  /** As of a program that is ended because it hangs, and then ends in order. */
  @Test
  public void shouldNotCallItASuccessWhenTheExecutorHadToEndTheProgram() {
    Scenario job = Scenario.running(job().workers(1));

    job.exit(
        job.key("worker:0"),
        new Event.Exit(0, "", Map.of(), "it showed no sign of life for 5 min", false, false));

    assertEquals(FailureKind.PROGRAM, job.result().kind());
    assertEquals("worker:0: it showed no sign of life for 5 min", job.result().message());
  }

  /** Somebody sets the clock back: progress must not stay untold until it has caught up. */
  @Test
  public void shouldRecordProgressAlsoAfterTheClockWasSetBack() {
    Scenario job = Scenario.running(job().workers(1));
    job.progress("worker:0", "1/100");
    job.pass(Duration.ofHours(-2));

    job.progress("worker:0", "2/100");

    assertEquals(2, job.facts(JobEvent.Type.TASK_PROGRESS).size());
  }

  @Test
  public void shouldTellASignalFromACode() {
    Scenario job = Scenario.running(job().workers(1));

    job.exit("worker:0", 255);

    assertEquals("worker:0 exited with code 255", job.result().message());
  }

  @Test
  public void shouldCallItALossWhenATaskEndsThatNeverRegistered() {
    Scenario job = Scenario.allocated(job().workers(2).failOnlyWhenAllFail());
    job.register("worker:1");

    job.exit("worker:0", 0);

    assertEquals(Phase.STOPPING, job.phase());
    job.exit("worker:1", 143);
    assertEquals(FailureKind.LOST, job.result().kind());
  }

  @Test
  public void shouldNotMindTheEndOfTheContainerAfterTheTasksOwnReport() {
    Scenario job = Scenario.running(job().workers(2));
    job.exit("worker:0", 0);

    assertEquals(NOTHING, job.containerEnds("worker:0", FailureKind.LOST, "the container ended"));

    job.exit("worker:1", 0);
    assertEquals(JobResult.Status.SUCCEEDED, job.result().status());
  }

  @Test
  public void shouldTakeARepeatedExitForOne() {
    Scenario job = Scenario.running(job().workers(2));
    job.exit("worker:0", 0);

    assertEquals(NOTHING, job.exit("worker:0", 0));
    assertEquals(NOTHING, job.exit("worker:0", 1));

    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(TaskState.SUCCEEDED, job.stateOf("worker:0"));
  }

  @Test
  public void shouldStopTheContainerOfASilentTaskAndFailWithTheLimitItPassed() {
    Scenario job = Scenario.running(job().workers(1).heartbeats(Duration.ofMillis(500), 10));

    List<Action> actions = job.silent("worker:0");

    assertEquals(List.of("worker:0"), containersStopped(actions));
    assertEquals(FailureKind.LOST, job.result().kind());
    assertEquals(
        "worker:0 on node-c0 was silent for 5000 ms"
            + " (tony.task.max-missed-heartbeats × tony.task.heartbeat-interval-ms)",
        job.result().message());
  }

  // ---- Progress ----

  @Test
  public void shouldRecordTheChiefsProgressNowAndThen() {
    Scenario job = Scenario.running(job().workers(2));

    job.progress("worker:0", "1/100");
    job.progress("worker:0", "2/100");
    job.progress("worker:1", "50/100");
    job.pass(ProgramReports.PROGRESS_INTERVAL);
    job.progress("worker:0", "3/100");

    assertEquals(
        List.of("1/100", "3/100"),
        job.facts(JobEvent.Type.TASK_PROGRESS).stream().map(e -> e.detail("text")).toList());
  }

  @Test
  public void shouldRecordTheLastOfTheChiefsProgressHoweverSoonItComes() {
    for (int code : new int[] {0, 1}) {
      Scenario job = Scenario.running(job().workers(2));
      job.progress("worker:0", "6000/8000");

      job.exit(job.key("worker:1"), last("5/8", 0));
      job.exit(job.key("worker:0"), last("8000/8000", code));

      assertEquals(
          List.of("6000/8000", "8000/8000"),
          job.facts(JobEvent.Type.TASK_PROGRESS).stream().map(e -> e.detail("text")).toList());
    }
  }

  @Test
  public void shouldRecordTheLastOfTheChiefsProgressWhenTheJobIsStopped() {
    Scenario job = Scenario.running(job().workers(2));
    job.progress("worker:0", "6000/8000");

    job.happens(new Event.StopRequested(Instant.EPOCH, "ada"));
    job.exit(job.key("worker:1"), last("5/8", 143));
    job.exit(job.key("worker:0"), last("6200/8000", 143));

    assertEquals(
        List.of("6000/8000", "6200/8000"),
        job.facts(JobEvent.Type.TASK_PROGRESS).stream().map(e -> e.detail("text")).toList());
    assertEquals(1, job.facts(JobEvent.Type.JOB_FINISHED).size());
  }

  @Test
  public void shouldNotRecordTheSameProgressTwice() {
    Scenario job = Scenario.running(job().workers(1));
    job.progress("worker:0", "8/8");

    job.exit(job.key("worker:0"), last("8/8", 0));

    assertEquals(1, job.facts(JobEvent.Type.TASK_PROGRESS).size());
  }

  private static Event.Exit last(String progress, int code) {
    return new Event.Exit(code, "", Map.of(), "", false, false, "", progress);
  }

  // ---- Of an earlier attempt ----

  @Test
  public void shouldEndAnExecutorOfAnEarlierAttemptThatRegistersLate() {
    Scenario job = Scenario.allocated(job().workers(2).retries(0, 1));
    TaskKey old = job.key("worker:0");
    job.containerEnds("worker:0", FailureKind.LOST, "lost");
    job.allocateAll();

    assertEquals(List.of(new StopTask(old, "it belongs to an earlier attempt")), job.register(old));

    assertEquals(TaskState.LAUNCHING, job.stateOf("worker:0"));
  }

  @Test
  public void shouldPassOverReportsOfAnEarlierAttempt() {
    Scenario job = Scenario.running(job().workers(2).retries(0, 1));
    TaskKey old = job.key("worker:0");
    job.containerEnds("worker:0", FailureKind.LOST, "lost");
    job.allocateAll();
    job.registerAll();
    JobState before = job.state();

    job.exit(old, 1);
    job.happens(new Event.TaskStarted(Instant.EPOCH, old, 42));
    job.happens(new Event.TaskProgressed(Instant.MAX, old, "9/10"));
    job.happens(new Event.HeartbeatTimedOut(Instant.EPOCH, old));
    job.happens(new Event.ContainerEnded(Instant.EPOCH, old, FailureKind.LOST, "gone"));

    assertSame(before, job.state());
  }

  @Test
  public void shouldPassOverTasksThatTheJobDoesNotHave() {
    Scenario job = Scenario.running(parameterServer());
    JobState before = job.state();

    for (TaskId stranger :
        List.of(
            new TaskId("worker", 2),
            new TaskId("ps", 1),
            new TaskId("chief", 0),
            new TaskId("worker", Integer.MAX_VALUE))) {
      job.exit(new TaskKey(stranger, 0, "c0"), 1);
    }
    TaskId worker = new TaskId("worker", 0);
    job.exit(new TaskKey(worker, 0, "another container"), 1);
    job.exit(new TaskKey(worker, 1, job.key("worker:0").container()), 1);

    assertSame(before, job.state());
    assertTrue(job.all(CancelRequests.class).isEmpty());
  }

  // ---- Outputs ----

  @Test
  public void shouldRecordNoMoreOutputsThanAJobMayHave() {
    Scenario job = Scenario.running(job().workers(3));
    exitWith(job, "worker:0", JobOutputs.MAX_CHARS - 10);
    exitWith(job, "worker:1", 100);
    job.nextMaster("worker:2");
    exitWith(job, "worker:2", 5);

    List<JobEvent> facts = job.facts(JobEvent.Type.TASK_SUCCEEDED);
    assertEquals("", facts.get(0).detail("outputsLeftOut"));
    assertEquals("", facts.get(1).detail("output.key"));
    String why = facts.get(1).detail("outputsLeftOut");
    assertTrue(why, why.startsWith("all outputs are left out"));
    assertEquals("there is room for it", "xx", facts.get(2).detail("output.key"));
  }

  private static void exitWith(Scenario job, String task, int characters) {
    Map<String, String> outputs = Map.of("key", "x".repeat(characters - 3));
    job.exit(job.key(task), new Event.Exit(0, "", outputs, "", false, false));
  }
}
