package io.tony.am.machine;

import static io.tony.am.machine.Scenario.containersStopped;
import static io.tony.am.machine.Scenario.only;
import static io.tony.am.machine.Scenario.requested;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.SetTimer;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.List;
import org.junit.Test;

/** The limits of the waits for containers and executors: each begins and ends with its wait. */
public class WaitLimitsTest {
  private static final Duration REGISTRATION = Duration.ofMinutes(15);
  private static final Duration ALLOCATION = Duration.ofMinutes(5);

  private static SampleJob workers(int instances) {
    return job()
        .workers(instances)
        .retries(1, 3, 3)
        .allocationLimit(ALLOCATION)
        .registrationLimit(REGISTRATION);
  }

  private static List<Duration> set(Timer timer, List<Action> actions) {
    return only(SetTimer.class, actions).stream()
        .filter(set -> set.timer().equals(timer))
        .map(SetTimer::delay)
        .toList();
  }

  private static boolean cancels(Timer timer, List<Action> actions) {
    return actions.contains(new CancelTimer(timer));
  }

  /** Nobody is waited for in between, so the time of the next one begins anew. */
  @Test
  public void shouldLimitEachExecutorOfIndependentTasksFromItsOwnContainer() {
    Scenario job = Scenario.running(workers(3).each(3));
    job.containerEnds("worker:0", FailureKind.PREEMPTED, "taken");
    assertEquals(List.of(REGISTRATION), set(Timer.REGISTRATION, job.allocate("worker")));
    job.containerEnds("worker:1", FailureKind.PREEMPTED, "taken");
    job.containerEnds("worker:2", FailureKind.PREEMPTED, "taken");

    assertTrue(cancels(Timer.REGISTRATION, job.register("worker:0")));

    job.pass(Duration.ofMinutes(14));
    assertEquals(List.of(REGISTRATION), set(Timer.REGISTRATION, job.allocate("worker")));
  }

  @Test
  public void shouldNotLimitExecutorsByTheTimeOfThoseThatWereGivenBack() {
    Scenario job = Scenario.requested(workers(2).hold(Duration.ofMinutes(1)).retries(0, 1));
    job.allocate("worker", 2);
    job.containerEnds("worker:1", FailureKind.LOST, "its node is lost");

    assertTrue(cancels(Timer.REGISTRATION, job.fires(Timer.PARTIAL_ALLOCATION)));

    job.fires(Timer.BACK_OFF);
    job.pass(Duration.ofMinutes(14));
    assertEquals(List.of(REGISTRATION), set(Timer.REGISTRATION, job.allocate("worker")));
  }

  /** The one that starts again has registered, so that nothing is late when the others come. */
  @Test
  public void shouldNotLimitASecondWaveByTheTimeOfATaskThatStartedAgain() {
    Scenario job =
        Scenario.running(
            job()
                .role("ps", 1, Supervision.UNTRACKED)
                .each(1)
                .role("prep", 1, Supervision.TRACKED)
                .workers(2)
                .after("prep")
                .registrationLimit(REGISTRATION));
    job.exit("prep:0", 0);
    assertEquals(List.of(REGISTRATION), set(Timer.REGISTRATION, job.exit("ps:0", 1)));

    assertTrue(cancels(Timer.REGISTRATION, job.register("ps:0")));
  }

  /** A task whose time is not up is not late, whoever the timer was set for. */
  @Test
  public void shouldEndOnlyWithExecutorsWhoseTimeIsUp() {
    Scenario job = Scenario.requested(workers(2));
    job.allocate("worker");
    job.pass(Duration.ofMinutes(10));
    job.allocate("worker");
    job.register("worker:0");
    job.pass(Duration.ofMinutes(5));

    List<Action> fired = job.fires(Timer.REGISTRATION);

    assertEquals(Phase.REGISTERING, job.phase());
    assertEquals(List.of(Duration.ofMinutes(10)), set(Timer.REGISTRATION, fired));
    job.pass(Duration.ofMinutes(10));
    job.fires(Timer.REGISTRATION);
    assertEquals(FailureKind.TIMEOUT, job.state().result().kind());
    assertEquals(
        "not every executor registered within 900 s (tony.container.registration.timeout):"
            + " worker:1 did not. Their logs say why",
        job.state().result().message());
  }

  /** Others may lack containers for long, and that is no reason to wait for it as long. */
  @Test
  public void shouldReplaceAnIndependentTaskThatDoesNotRegisterWhileOthersLackContainers() {
    Scenario job = Scenario.running(workers(3).each(3));
    job.containerEnds("worker:1", FailureKind.PREEMPTED, "taken");
    job.containerEnds("worker:2", FailureKind.PREEMPTED, "taken");
    job.allocate("worker");
    job.pass(REGISTRATION);

    List<Action> late = job.fires(Timer.REGISTRATION);

    assertEquals(List.of("worker:1"), containersStopped(late));
    assertEquals(List.of("worker 1"), requested(late));
    assertEquals("role", job.facts(JobEvent.Type.TASK_RESTARTED).get(2).detail("charged"));
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(TaskState.RUNNING, job.stateOf("worker:0"));
  }

  /** The next ApplicationMaster's timer is new, and the executors have to find it. */
  @Test
  public void shouldGiveExecutorsTheirTimeAnewUnderTheNextMaster() {
    Scenario job = Scenario.allocated(workers(2));
    job.pass(Duration.ofMinutes(14));

    assertEquals(
        List.of(REGISTRATION), set(Timer.REGISTRATION, job.nextMaster("worker:0", "worker:1")));
  }

  @Test
  public void shouldGiveMoreTimeWhereTheClockWasSetBack() {
    Scenario job = Scenario.allocated(workers(2));
    job.pass(Duration.ofHours(-2));

    assertEquals(List.of(REGISTRATION), set(Timer.REGISTRATION, job.fires(Timer.REGISTRATION)));
  }

  /** Its time counts from its own loss, and not from the last one of others. */
  @Test
  public void shouldLimitTheWaitForAContainerFromTheFirstLoss() {
    Scenario job = Scenario.running(workers(3).each(3));
    assertEquals(
        List.of(ALLOCATION),
        set(Timer.ALLOCATION, job.containerEnds("worker:1", FailureKind.PREEMPTED, "taken")));

    List<Action> second = job.containerEnds("worker:2", FailureKind.PREEMPTED, "taken");

    assertEquals(List.of(), set(Timer.ALLOCATION, second));
    job.allocate("worker");
    assertTrue(cancels(Timer.ALLOCATION, job.allocate("worker")));
  }

  /** Somebody is always missing, and nobody for long. */
  @Test
  public void shouldNotEndWithWaitsForContainersThatOverlap() {
    Scenario job = Scenario.running(job().workers(6).each(50).allocationLimit(ALLOCATION));
    for (int i = 0; i < 6; i++) {
      job.containerEnds("worker:" + i, FailureKind.PREEMPTED, "taken");
      if (i > 0) {
        job.allocate("worker");
        job.registerAll();
      }
      job.pass(Duration.ofMinutes(1));
    }

    List<Action> fired = job.fires(Timer.ALLOCATION);

    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(List.of(Duration.ofMinutes(4)), set(Timer.ALLOCATION, fired));
    job.pass(Duration.ofMinutes(4));
    job.fires(Timer.ALLOCATION);
    assertEquals(
        "YARN did not give all containers within 300 s (tony.container.allocation.timeout): 1 of 6"
            + " are missing, for worker:5. Ask for less, or for another queue",
        job.state().result().message());
  }

  /** It is lost while there are enough, and becomes one that is needed when others end. */
  @Test
  public void shouldLimitTheWaitForAMemberThatIsNeededOnlyLater() {
    Scenario job =
        Scenario.running(
            job()
                .role("chief", 1, Supervision.TRACKED)
                .workers(3)
                .least(2)
                .allocationLimit(ALLOCATION)
                .joining()
                .failOnlyWhenAllFail());
    List<Action> lost = job.containerEnds("worker:2", FailureKind.LOST, "its node is lost");
    assertEquals(List.of(), set(Timer.ALLOCATION, lost));

    List<Action> failed = job.exit("worker:1", 1);

    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(List.of(ALLOCATION), set(Timer.ALLOCATION, failed));
  }

  /** The limit is for all of them together, and for all their back-offs. */
  @Test
  public void shouldLimitTheWaitOfAGangThatGathersFromItsBeginning() {
    Scenario job = Scenario.requested(workers(3).hold(Duration.ofMinutes(1)));

    assertEquals(List.of(), set(Timer.ALLOCATION, job.allocate("worker")));
    assertEquals(List.of(), set(Timer.ALLOCATION, job.fires(Timer.PARTIAL_ALLOCATION)));
    assertEquals(Phase.BACKING_OFF, job.phase());
    assertEquals(List.of(), set(Timer.ALLOCATION, job.fires(Timer.BACK_OFF)));
    assertTrue(job.timers().contains(Timer.ALLOCATION));
  }

  /** The time of one that was missing before is not that of the whole gang. */
  @Test
  public void shouldLimitTheWaitOfAGangAnewThatStartsAgainWhileATaskIsMissing() {
    Scenario job = Scenario.running(workers(2).role("ps", 1, Supervision.UNTRACKED).each(1));
    List<Action> missing = job.containerEnds("ps:0", FailureKind.PREEMPTED, "taken");
    assertEquals(List.of(ALLOCATION), set(Timer.ALLOCATION, missing));
    job.pass(Duration.ofMinutes(4));

    List<Action> again = job.containerEnds("worker:1", FailureKind.PREEMPTED, "taken");

    assertEquals(1, job.state().session());
    assertEquals(List.of(ALLOCATION), set(Timer.ALLOCATION, again));
  }

  /** A member that nobody misses is not late, however long it has been asked for. */
  @Test
  public void shouldNotEndWithAMemberThatTheOthersDoNotNeed() {
    Scenario job =
        Scenario.running(
            job()
                .workers(3)
                .least(2)
                .role("ps", 2, Supervision.UNTRACKED)
                .each(3)
                .allocationLimit(ALLOCATION)
                .joining());
    job.containerEnds("worker:2", FailureKind.LOST, "its node is lost");
    job.containerEnds("ps:0", FailureKind.PREEMPTED, "taken");
    job.pass(Duration.ofMinutes(4));
    job.containerEnds("ps:1", FailureKind.PREEMPTED, "taken");
    job.allocate("ps");
    job.pass(Duration.ofMinutes(1));

    List<Action> fired = job.fires(Timer.ALLOCATION);

    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(List.of(Duration.ofMinutes(4)), set(Timer.ALLOCATION, fired));
  }

  /** Timers and the clock of the events may differ by a second. */
  @Test
  public void shouldTakeAnExecutorForLateASecondBeforeItsTime() {
    for (boolean late : List.of(true, false)) {
      Scenario job = Scenario.allocated(workers(2));
      job.pass(REGISTRATION.minusSeconds(1).minusMillis(late ? 0 : 1));

      job.fires(Timer.REGISTRATION);

      assertEquals(late ? Phase.STOPPING : Phase.REGISTERING, job.phase());
    }
  }
}
