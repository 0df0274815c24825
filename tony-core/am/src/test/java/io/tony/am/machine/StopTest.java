package io.tony.am.machine;

import static io.tony.am.machine.Scenario.containersStopped;
import static io.tony.am.machine.Scenario.only;
import static io.tony.am.machine.Scenario.stopped;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.Finish;
import io.tony.am.machine.Action.ReleaseContainer;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StopTask;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.ResourceSpec;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.Test;

/** What a stop does in every phase, and what the limits of time say when they pass. */
public class StopTest {
  private static final JobResult STOPPED = JobResult.killed("stopped by ada");
  private static final String TIME_IS_UP =
      "the job did not end within 7200 s (tony.application.timeout); it was ";

  // ---- Stops ----

  @Test
  public void shouldFinishAtOnceWhenStoppedBeforeAnythingWasAskedFor() {
    Scenario job = Scenario.of(job());

    job.stopBy("ada");

    assertEquals(STOPPED, job.result());
    JobState end = job.state();
    job.ready();
    assertSame(end, job.state());
  }

  @Test
  public void shouldTakeItsRequestsBackWhenStoppedWhileItWaits() {
    Scenario job = Scenario.requested(job().role("ps", 1, Supervision.UNTRACKED).workers(3));
    job.allocate("worker");
    job.register("worker:0");

    List<Action> actions = job.stopBy("ada");

    assertEquals(
        List.of("ps 1", "worker 2"),
        only(CancelRequests.class, actions).stream()
            .map(cancel -> cancel.role().name() + " " + cancel.count())
            .toList());
    assertEquals(List.of("worker:0"), stopped(actions));
    assertEquals(List.of(new ReleaseContainer("c1")), job.allocate("worker"));
    job.exit("worker:0", 143);
    assertEquals(STOPPED, job.result());
    assertEquals(List.of(new ReleaseContainer("c2")), job.allocate("ps"));
  }

  @Test
  public void shouldFinishAtOnceWhenStoppedWhileItHoldsNothing() {
    Scenario job = Scenario.requested(job().workers(2));

    job.stopBy("ada");

    assertEquals(STOPPED, job.result());
  }

  @Test
  public void shouldStopTheContainersOfExecutorsThatDoNotListenYet() {
    Scenario job = Scenario.allocated(job().workers(2));
    job.register("worker:1");

    List<Action> actions = job.stopBy("ada");

    assertEquals(List.of("worker:0"), containersStopped(actions));
    assertEquals(List.of("worker:0", "worker:1"), stopped(actions));
    job.containerEnds("worker:0", FailureKind.LOST, "released");
    job.exit("worker:1", 143);
    assertEquals(STOPPED, job.result());
  }

  @Test
  public void shouldEndAnExecutorThatRegistersWhileTheJobStops() {
    Scenario job = Scenario.allocated(job().workers(1));
    TaskKey key = job.key("worker:0");
    job.stopBy("ada");

    assertEquals(List.of(new StopTask(key, "the job is stopping")), job.register(key));

    job.exit(key, 143);
    assertEquals(STOPPED, job.result());
  }

  @Test
  public void shouldTellTheTasksToStopWhenStoppedWhileTheyRun() {
    Scenario job = Scenario.running(job().workers(2));

    List<Action> actions = job.stopBy("ada");

    assertEquals(List.of("worker:0", "worker:1"), stopped(actions));
    assertEquals("ada", job.facts(JobEvent.Type.STOP_REQUESTED).get(0).detail("who"));
    job.exit("worker:0", 0);
    assertEquals(TaskState.STOPPED, job.stateOf("worker:0"));
    job.exit("worker:1", 1);
    assertEquals(STOPPED, job.result());
  }

  @Test
  public void shouldKeepAnOutcomeThatIsDecidedWhenAStopComesLater() {
    Scenario job = Scenario.running(job().workers(2));
    job.exit("worker:0", 1);

    job.stopBy("ada");
    job.exit("worker:1", 143);

    assertEquals(FailureKind.PROGRAM, job.result().kind());
  }

  @Test
  public void shouldPassOverAStopAfterTheEnd() {
    Scenario job = Scenario.running(job().workers(1));
    job.exit("worker:0", 0);
    JobState end = job.state();

    assertEquals(List.of(), job.stopBy("ada"));

    assertSame(end, job.state());
  }

  @Test
  public void shouldHaveYarnEndWhatDoesNotStop() {
    Scenario job = Scenario.running(job().workers(3));
    List<Action> stop = job.stopBy("ada");
    assertEquals(
        List.of(new SetTimer(Timer.STOPPING, Duration.ofSeconds(3).plus(JobMachine.STOP_MARGIN))),
        only(SetTimer.class, stop));
    job.exit("worker:1", 143);

    List<Action> actions = job.fires(Timer.STOPPING);

    assertEquals(List.of("worker:0", "worker:2"), containersStopped(actions));
    assertEquals(STOPPED, job.result());
  }

  @Test
  public void shouldStopWhenTheSchedulerFails() {
    Scenario job = Scenario.running(job().workers(1));

    job.schedulerFails("YARN does not know this ApplicationMaster any more");
    job.exit("worker:0", 143);

    assertEquals(
        JobResult.failed(FailureKind.LOST, "YARN does not know this ApplicationMaster any more"),
        job.result());
  }

  @Test
  public void shouldOpenNoShellInTheContainerOfATaskThatHasEnded() {
    Scenario job = Scenario.running(job().workers(2));
    job.exit("worker:1", 0);

    assertEquals(
        List.of(new Action.RefuseShell(17, "the container of worker:1 has ended")),
        job.shellWanted(job.key("worker:1")));
  }

  // ---- Limits of time ----

  @Test
  public void shouldSetNoTimerWithoutALimit() {
    Scenario job = Scenario.running(job().workers(2));

    assertEquals(
        List.of(new SetTimer(Timer.NOTICE, ContainerShortage.NOTICE_AFTER)),
        job.all(SetTimer.class));
  }

  @Test
  public void shouldSetEachTimerWhereItsPhaseBegins() {
    Duration application = Duration.ofHours(1);
    Duration allocation = Duration.ofMinutes(2);
    Duration registration = Duration.ofMinutes(3);
    Scenario job =
        Scenario.of(
            job()
                .workers(1)
                .applicationLimit(application)
                .allocationLimit(allocation)
                .registrationLimit(registration));

    assertEquals(
        List.of(
            new SetTimer(Timer.APPLICATION, application),
            new SetTimer(Timer.NOTICE, ContainerShortage.NOTICE_AFTER),
            new SetTimer(Timer.ALLOCATION, allocation)),
        only(SetTimer.class, job.ready()));
    List<Action> allocated = job.allocate("worker");
    assertTrue(allocated.contains(new Action.CancelTimer(Timer.ALLOCATION)));
    assertEquals(
        List.of(new SetTimer(Timer.REGISTRATION, registration)), only(SetTimer.class, allocated));
    assertTrue(job.register("worker:0").contains(new Action.CancelTimer(Timer.REGISTRATION)));
    assertTrue(job.exit("worker:0", 0).contains(new Action.CancelTimer(Timer.APPLICATION)));
  }

  @Test
  public void shouldSayWhichContainersDidNotCome() {
    Scenario job =
        Scenario.requested(
            job()
                .role("ps", 1, Supervision.UNTRACKED)
                .workers(8)
                .allocationLimit(Duration.ofMillis(1500)));
    job.allocate("worker");

    job.fires(Timer.ALLOCATION);
    job.containerEnds("worker:0", FailureKind.LOST, "released");

    assertEquals(FailureKind.TIMEOUT, job.result().kind());
    assertEquals(
        "YARN did not give all containers within 1500 ms (tony.container.allocation.timeout):"
            + " 8 of 9 are missing, for ps:0, worker:1, worker:2, worker:3, worker:4 and 3"
            + " others. Ask for less, or for another queue",
        job.result().message());
  }

  @Test
  public void shouldSayThatTheRoomMayBeOnNoSingleNode() {
    Scenario job = Scenario.requested(job().workers(2).allocationLimit(Duration.ofMinutes(1)));
    job.allocate("worker");
    job.cluster(new ResourceSpec(3072, 8), 6);

    assertEquals(
        "YARN did not give all containers within 60 s (tony.container.allocation.timeout): 1 of 2"
            + " are missing, for worker:1; the queue has 3072 MiB, 8 vcores left, which is enough"
            + " in sum for one of them, but perhaps not on any single node. Ask for less, or for"
            + " another queue",
        reason(job, Timer.ALLOCATION));
  }

  @Test
  public void shouldSayWhichExecutorsDidNotRegister() {
    Scenario job = Scenario.allocated(job().workers(2).registrationLimit(Duration.ofMinutes(15)));
    job.register("worker:0");
    job.pass(Duration.ofMinutes(15));

    List<Action> actions = job.fires(Timer.REGISTRATION);

    assertEquals(List.of("worker:1"), containersStopped(actions));
    job.containerEnds("worker:1", FailureKind.LOST, "released");
    job.exit("worker:0", 143);
    assertEquals(
        "not every executor registered within 900 s (tony.container.registration.timeout):"
            + " worker:1 did not. Their logs say why",
        job.result().message());
  }

  @Test
  public void shouldSayInWhichPhaseTheJobWasWhenItsTimeWasUp() {
    Scenario job =
        Scenario.running(
            job()
                .role("ps", 1, Supervision.UNTRACKED)
                .workers(3)
                .applicationLimit(Duration.ofHours(2)));
    job.exit("worker:1", 0);

    assertEquals(
        TIME_IS_UP + "RUNNING; worker:0, worker:2 had not ended", reason(job, Timer.APPLICATION));
    job.exit("worker:0", 143);
    job.exit("worker:2", 143);
    job.exit("ps:0", 143);
    assertEquals(FailureKind.TIMEOUT, job.result().kind());
  }

  @Test
  public void shouldSayWhatWasMissingWhenItsTimeWasUpBeforeItRan() {
    SampleJob limited =
        job().workers(7).hold(Duration.ofMinutes(1)).applicationLimit(Duration.ofHours(2));

    Scenario waiting = Scenario.requested(limited);
    waiting.cluster(new ResourceSpec(512, 8), 2);
    waiting.allocate("worker");
    assertEquals(
        TIME_IS_UP
            + "ALLOCATING; worker:1, worker:2, worker:3, worker:4, worker:5 and 1 other had no"
            + " container; the queue has 512 MiB, 8 vcores left, which is too little for one of"
            + " them in memory",
        reason(waiting, Timer.APPLICATION));

    Scenario backedOff = Scenario.requested(limited);
    backedOff.allocate("worker");
    backedOff.fires(Timer.PARTIAL_ALLOCATION);
    assertEquals(
        TIME_IS_UP
            + "BACKING_OFF; the gang gave back what it had, for the 1. time, and waited to ask"
            + " again for 7 × worker (1024 MiB, 1 vcore)",
        reason(backedOff, Timer.APPLICATION));

    Scenario starting = Scenario.allocated(limited);
    for (int index = 1; index < 7; index++) {
      starting.register("worker:" + index);
    }
    assertEquals(
        TIME_IS_UP + "REGISTERING; worker:0 had not registered",
        reason(starting, Timer.APPLICATION));
  }

  /** Why the job stops. */
  private static String reason(Scenario job, Timer timer) {
    job.fires(timer);
    return job.lastFacts().stream()
        .filter(event -> event.type() == JobEvent.Type.JOB_STOPPING)
        .map(event -> event.detail("message"))
        .collect(Collectors.joining());
  }

  @Test
  public void shouldFailWithTheLimitThatAProgramPassed() {
    Scenario job = Scenario.running(job().workers(1).retries(3, 3));

    job.exit(
        job.key("worker:0"),
        new Event.Exit(143, "", Map.of(), "ran longer than 10 ms", true, false));

    assertEquals(FailureKind.TIMEOUT, job.result().kind());
    assertEquals("worker:0 ran longer than 10 ms", job.result().message());
  }

  @Test
  public void shouldPassOverATimerWhosePhaseIsOver() {
    Scenario job = Scenario.running(job().workers(1));
    JobState before = job.state();

    job.fires(Timer.ALLOCATION);
    job.fires(Timer.REGISTRATION);
    job.fires(Timer.STOPPING);

    assertSame(before, job.state());
    assertEquals(List.of(), job.all(Finish.class));
  }

  /** Whatever it waited for before, it waits no longer. */
  @Test
  public void shouldLetNothingButItsEndBecomeDueOnceItStops() {
    Duration limit = Duration.ofHours(2);
    Scenario job =
        Scenario.requested(
            job()
                .workers(3)
                .least(1)
                .hold(limit)
                .allocationLimit(limit)
                .registrationLimit(limit)
                .applicationLimit(limit));
    job.allocate("worker");
    assertEquals(
        Set.of(
            Timer.APPLICATION,
            Timer.ALLOCATION,
            Timer.NOTICE,
            Timer.PARTIAL_ALLOCATION,
            Timer.ELASTIC,
            Timer.REGISTRATION),
        job.timers());

    job.stopBy("ada");

    assertEquals(Set.of(Timer.APPLICATION, Timer.STOPPING), job.timers());
    job.containerEnds("worker:0", FailureKind.LOST, "it ended");
    assertEquals(Phase.FINISHED, job.phase());
    assertEquals(Set.of(), job.timers());
  }

  @Test
  public void shouldTakeTheLimitsOfGroupsBackWhenItStops() {
    Scenario job = Scenario.running(SampleJob.evaluated(false));
    job.exit("worker:0", 0);
    assertEquals(Set.of(Timer.group(0)), job.timers());

    job.stopBy("ada");

    assertEquals(Set.of(Timer.STOPPING), job.timers());
  }
}
