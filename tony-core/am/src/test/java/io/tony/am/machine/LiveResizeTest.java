package io.tony.am.machine;

import static io.tony.am.machine.Scenario.containersStopped;
import static io.tony.am.machine.Scenario.launched;
import static io.tony.am.machine.Scenario.only;
import static io.tony.am.machine.Scenario.requested;
import static io.tony.am.machine.Scenario.restarted;
import static io.tony.am.machine.Scenario.started;
import static io.tony.am.machine.Scenario.stopped;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.ReleaseContainer;
import io.tony.am.machine.Action.RequestContainers;
import io.tony.am.machine.Action.RestartTask;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StartTask;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.Test;

/** Gangs whose tasks leave and join while the programs of the others run on. */
public class LiveResizeTest {
  private static final RetryBudget UNTOUCHED = new RetryBudget(1, 1, 1);

  private static SampleJob workers(int instances, int least) {
    return job()
        .workers(instances)
        .least(least)
        .retries(1, 1, 1)
        .allocationLimit(Duration.ofMinutes(5))
        .registrationLimit(Duration.ofMinutes(15))
        .joining();
  }

  private static List<Duration> set(Timer timer, List<Action> actions) {
    return only(SetTimer.class, actions).stream()
        .filter(set -> set.timer().equals(timer))
        .map(SetTimer::delay)
        .toList();
  }

  private static List<String> resized(Scenario job) {
    return job.facts(JobEvent.Type.GANG_RESIZED).stream()
        .map(fact -> fact.detail("from") + " to " + fact.detail("instances"))
        .toList();
  }

  private static void assertNobodyRestarted(Scenario job, List<Action> actions) {
    assertEquals(List.of(), only(RestartTask.class, actions));
    assertEquals(0, job.state().session());
    assertEquals(Phase.RUNNING, job.phase());
  }

  // ---- A member that is lost ----

  @Test
  public void shouldGoOnWithoutALostMemberUntilItIsBack() {
    Scenario job = Scenario.running(workers(3, 2));

    List<Action> lost = job.containerEnds("worker:1", FailureKind.LOST, "its node is lost");

    assertNobodyRestarted(job, lost);
    assertEquals(List.of("worker 1"), requested(lost));
    assertEquals("the others do not wait", List.of(), set(Timer.ALLOCATION, lost));
    assertEquals("nobody pays", UNTOUCHED, job.state().budget());
    assertEquals(1, job.facts(JobEvent.Type.NODE_AVOIDED).size());
    assertEquals(List.of("worker:1"), launched(job.allocateOn("worker", "node-9")));
    List<Action> back = job.register("worker:1");
    assertNobodyRestarted(job, back);
    assertEquals(List.of("worker:1"), started(back));
    assertEquals(3, only(StartTask.class, back).get(0).cluster().size());
    assertEquals(3, job.state().tasks().count(TaskState.RUNNING));
  }

  @Test
  public void shouldNotPayForOneThatIsLostAgainBeforeItIsBack() {
    Scenario job = Scenario.running(workers(3, 2));
    job.containerEnds("worker:1", FailureKind.PREEMPTED, "taken");
    job.allocate("worker");

    List<Action> lost = job.containerEnds("worker:1", FailureKind.PREEMPTED, "taken");

    assertNobodyRestarted(job, lost);
    assertEquals(UNTOUCHED, job.state().budget());
    assertEquals(TaskState.REQUESTED, job.stateOf("worker:1"));
  }

  @Test
  public void shouldPayForAMembersProgramAndStartItInItsContainer() {
    Scenario job = Scenario.running(workers(3, 2));

    List<Action> failed = job.exit("worker:1", 1);

    assertEquals(List.of("worker:1"), restarted(failed));
    assertEquals(0, job.state().session());
    assertEquals(new RetryBudget(0, 1, 1), job.state().budget());
    job.register("worker:1");
    job.exit("worker:1", 1);
    assertEquals("no retry is left", JobResult.Status.FAILED, job.state().result().status());
  }

  @Test
  public void shouldStartAllAgainWithoutTheTaskByWhichTheyFindEachOther() {
    Scenario job = Scenario.running(workers(3, 2));

    List<Action> lost = job.containerEnds("worker:0", FailureKind.LOST, "its node is lost");

    assertEquals(List.of("worker:1", "worker:2"), restarted(lost));
    assertEquals(1, job.state().session());
  }

  /** The first that is heard of need not be the one to blame. */
  @Test
  public void shouldStartAllAgainWhereAMemberHangsOrFailsBecauseOfAnother() {
    for (Event.Exit exit :
        List.of(
            new Event.Exit(
                134,
                "",
                Map.of(),
                "showed no sign of life",
                false,
                false,
                "",
                "",
                "read (a.py:1)",
                null,
                true),
            new Event.Exit(
                1, "RuntimeError: Connection closed by peer", Map.of(), "", false, false))) {
      Scenario job = Scenario.running(workers(3, 1));

      List<Action> failed = job.exit(job.key("worker:1"), exit);

      assertEquals(List.of("worker:0", "worker:1", "worker:2"), restarted(failed));
      assertEquals(1, job.state().session());
    }
  }

  /** One that is starting counts as one that is there, until it is lost again. */
  @Test
  public void shouldStartAllAgainWhenAMemberIsLostAgainAndTooFewAreLeft() {
    Scenario job = Scenario.running(workers(3, 2));
    job.containerEnds("worker:1", FailureKind.LOST, "its node is lost");
    job.allocate("worker");
    job.containerEnds("worker:2", FailureKind.LOST, "its node is lost");
    assertEquals("nobody pays", UNTOUCHED, job.state().budget());

    List<Action> lost = job.containerEnds("worker:1", FailureKind.LOST, "its node is lost");

    assertEquals(1, job.state().session());
    assertEquals(List.of("worker:0"), restarted(lost));
    assertEquals(List.of(Duration.ofMinutes(5)), set(Timer.ALLOCATION, lost));
  }

  @Test
  public void shouldAvoidTheNodeOnWhichAMemberIsLostAgain() {
    Scenario job = Scenario.running(workers(3, 2));
    job.containerEnds("worker:1", FailureKind.PREEMPTED, "taken");
    job.allocateOn("worker", "node-9");

    job.containerEnds("worker:1", FailureKind.LOST, "its disk is full");

    assertEquals(Set.of("node-9"), job.state().clusterView().avoided());
  }

  @Test
  public void shouldStartAllAgainWithFewerThanItNeeds() {
    Scenario job = Scenario.running(workers(3, 2));
    job.containerEnds("worker:1", FailureKind.LOST, "its node is lost");

    job.containerEnds("worker:2", FailureKind.LOST, "its node is lost, too");

    assertEquals(1, job.state().session());
    assertEquals(new RetryBudget(1, 0, 1), job.state().budget());
    assertEquals(Phase.ALLOCATING, job.phase());
  }

  @Test
  public void shouldGiveBackAMembersContainerWhenACheckpointIsKept() {
    Scenario job = Scenario.running(workers(3, 2));
    Instant announced = job.now();
    job.happens(new Event.PreemptionNotice(announced, List.of(job.key("worker:2"))));

    List<Action> kept = kept(job, announced);

    assertNobodyRestarted(job, kept);
    assertEquals(List.of("worker:2"), stopped(kept));
    assertEquals(List.of("worker 1"), requested(kept));
    assertEquals(UNTOUCHED, job.state().budget());
  }

  private static List<Action> kept(Scenario job, Instant asked) {
    return job.happens(
        new Event.CheckpointReported(
            job.now(), CheckpointTrackerTest.kept("worker:0", 0, 120, 1, asked)));
  }

  // ---- A new member ----

  /** So many run, of those that are wanted. */
  private static Scenario running(int there, SampleJob workers) {
    Scenario job = Scenario.requested(workers);
    job.allocate("worker", there);
    job.registerAll();
    job.fires(Timer.ELASTIC);
    assertEquals(Phase.RUNNING, job.phase());
    return job;
  }

  /** Two of three run, and the third is to join them. */
  private static Scenario joining() {
    Scenario job = running(2, workers(3, 2));
    job.fires(Timer.GROWTH);
    job.allocate("worker");
    return job;
  }

  @Test
  public void shouldLetTasksJoinOneAfterTheOther() {
    Scenario job = running(2, workers(4, 2));
    assertEquals("one at a time", List.of("worker 1"), requested(job.fires(Timer.GROWTH)));

    List<Action> came = job.allocateOn("worker", "node-9");
    assertNobodyRestarted(job, came);
    assertEquals(List.of("worker:2"), launched(came));
    assertEquals("a number of its own", 1, job.key("worker:2").attempt());
    assertEquals(
        "should it never register", List.of(Duration.ofMinutes(20)), set(Timer.GROWTH, came));
    List<Action> joined = job.register("worker:2");

    assertNobodyRestarted(job, joined);
    assertEquals(List.of("worker:2"), started(joined));
    assertEquals(3, only(StartTask.class, joined).get(0).cluster().size());
    assertEquals(List.of(Duration.ofSeconds(1)), set(Timer.GROWTH, joined));
    assertEquals(List.of("worker 1"), requested(job.fires(Timer.GROWTH)));
    assertEquals(List.of("4 to 2", "2 to 3"), resized(job));
  }

  /** Nobody misses it. */
  @Test
  public void shouldLetATaskJoinWhileASidecarIsAway() {
    Scenario job =
        Scenario.requested(workers(3, 2).role("tensorboard", 1, Supervision.SIDECAR).each(2));
    job.allocate("tensorboard");
    job.allocate("worker", 2);
    job.registerAll();
    job.fires(Timer.ELASTIC);
    job.exit("tensorboard:0", 1);
    assertEquals(TaskState.LAUNCHING, job.stateOf("tensorboard:0"));

    assertEquals(List.of("worker 1"), requested(job.fires(Timer.GROWTH)));
  }

  @Test
  public void shouldTellALostMemberOfThoseThatAreThere() {
    Scenario job = running(3, workers(4, 1));
    job.fires(Timer.GROWTH);
    job.allocate("worker");
    job.containerEnds("worker:1", FailureKind.LOST, "its node is lost");
    job.allocate("worker");

    List<Action> back = job.register("worker:1");

    assertEquals(3, only(StartTask.class, back).get(0).cluster().size());
    assertEquals(4, job.state().tasks().size());
  }

  @Test
  public void shouldGoOnWithoutATaskThatDoesNotJoin() {
    Scenario job = joining();

    List<Action> lost = job.containerEnds("worker:2", FailureKind.LOST, "its node is lost");

    assertNobodyRestarted(job, lost);
    assertEquals(List.of("3 to 2", "2 to 3", "3 to 2"), resized(job));
    assertEquals(UNTOUCHED, job.state().budget());
    assertEquals(2, job.state().tasks().size());
    assertEquals("later", 1, set(Timer.GROWTH, lost).size());
    assertEquals(1, job.facts(JobEvent.Type.NODE_AVOIDED).size());
  }

  @Test
  public void shouldRunOnWhereANodeCannotStartTheTaskThatIsToJoin() {
    Scenario job = joining();

    List<Action> failed = job.containerEnds("worker:2", FailureKind.INVALID, "no such user");

    assertNobodyRestarted(job, failed);
    assertEquals(2, job.state().tasks().size());
  }

  @Test
  public void shouldGiveUpExecutorsThatDoNotRegister() {
    Scenario joining = joining();
    joining.pass(Duration.ofMinutes(15));
    List<Action> actions = joining.fires(Timer.REGISTRATION);
    assertNobodyRestarted(joining, actions);
    assertEquals(List.of("worker:2"), containersStopped(actions));
    assertEquals(2, joining.state().tasks().size());

    Scenario returning = Scenario.running(workers(3, 2));
    returning.containerEnds("worker:1", FailureKind.LOST, "its node is lost");
    returning.allocate("worker");
    returning.pass(Duration.ofMinutes(15));
    List<Action> again = returning.fires(Timer.REGISTRATION);
    assertNobodyRestarted(returning, again);
    assertEquals(List.of("worker 1"), requested(again));
    assertEquals(
        "worker:1 on node-c3 did not register within 900000 ms"
            + " (tony.container.registration.timeout)",
        returning.facts(JobEvent.Type.TASK_FAILED).get(1).detail("message"));
  }

  /** The limit of the registration was set for a task that is lost since. */
  @Test
  public void shouldGiveUpALateExecutorAlsoWhileOthersWait() {
    Scenario job = Scenario.running(workers(3, 2));
    job.containerEnds("worker:1", FailureKind.LOST, "its node is lost");
    job.allocate("worker");
    job.containerEnds("worker:2", FailureKind.LOST, "its node is lost");
    job.pass(Duration.ofMinutes(15));

    List<Action> late = job.fires(Timer.REGISTRATION);

    assertEquals("too few are left", 1, job.state().session());
    assertEquals(List.of("worker:0"), restarted(late));
    assertEquals(List.of("worker:1"), containersStopped(late));
  }

  @Test
  public void shouldReplaceALostMemberBeforeItGrows() {
    Scenario job = running(3, workers(4, 1));
    job.fires(Timer.GROWTH);

    List<Action> lost = job.containerEnds("worker:1", FailureKind.LOST, "its node is lost");

    assertEquals(1, only(CancelRequests.class, lost).get(0).count());
    assertEquals(List.of("worker 1"), requested(lost));
    assertEquals(List.of("worker:1"), launched(job.allocate("worker")));
    assertEquals(1, only(ReleaseContainer.class, job.allocate("worker")).size());
  }

  // ---- The end, and the next ApplicationMaster ----

  @Test
  public void shouldNotWaitForWhatWouldComeWhenTheOthersAreDone() {
    Scenario job = Scenario.running(workers(3, 2));
    job.containerEnds("worker:1", FailureKind.LOST, "its node is lost");
    List<Action> first = job.exit("worker:2", 0);
    assertEquals(1, only(CancelRequests.class, first).get(0).count());

    job.exit("worker:0", 0);

    assertEquals("2 of 3 tasks succeeded", job.state().result().message());
    assertEquals(JobResult.Status.SUCCEEDED, job.state().result().status());
  }

  @Test
  public void shouldNotNeedAMemberThatIsLostWhenOthersAreDone() {
    Scenario job = Scenario.running(workers(3, 2));
    job.exit("worker:2", 0);

    List<Action> lost = job.containerEnds("worker:1", FailureKind.LOST, "its node is lost");

    assertEquals(List.of(), only(RequestContainers.class, lost));
    job.exit("worker:0", 0);
    assertEquals(JobResult.Status.SUCCEEDED, job.state().result().status());
  }

  @Test
  public void shouldStartAMembersProgramAgainAlsoWhenOthersAreDone() {
    Scenario job = Scenario.running(workers(3, 1));
    job.exit("worker:2", 0);

    List<Action> failed = job.exit("worker:1", 1);

    assertEquals(List.of("worker:1"), restarted(failed));
    assertEquals(0, job.state().session());
    assertEquals(new RetryBudget(0, 1, 1), job.state().budget());
  }

  @Test
  public void shouldNotWaitForATaskThatIsAboutToJoinWhenTheOthersAreDone() {
    Scenario job = joining();

    List<Action> first = job.exit("worker:1", 0);

    assertEquals(List.of("worker:2"), containersStopped(first));
    job.exit("worker:0", 0);
    assertEquals("2 of 2 tasks succeeded", job.state().result().message());
  }

  /** A chief and one of two workers run, and only the failure of all ends the job. */
  private static Scenario chiefAndOneThatJoins() {
    Scenario job =
        Scenario.requested(
            job()
                .role("chief", 1, Supervision.TRACKED)
                .workers(2)
                .least(1)
                .registrationLimit(Duration.ofMinutes(15))
                .joining()
                .failOnlyWhenAllFail());
    job.allocate("chief");
    job.allocate("worker");
    job.registerAll();
    job.fires(Timer.ELASTIC);
    job.fires(Timer.GROWTH);
    job.allocate("worker");
    assertEquals(TaskState.LAUNCHING, job.stateOf("worker:1"));
    return job;
  }

  /** The others have ended when the only open task leaves again. */
  @Test
  public void shouldEndWhenTheLastOpenTaskDoesNotJoin() {
    List<Consumer<Scenario>> ways =
        List.of(
            job -> job.containerEnds("worker:1", FailureKind.LOST, "its node is lost"),
            job -> job.failsPreflight("worker:1", "its disk is full"),
            job -> {
              job.pass(Duration.ofMinutes(15));
              job.fires(Timer.REGISTRATION);
            },
            job -> job.nextMaster(Set.of()));
    for (Consumer<Scenario> leaves : ways) {
      Scenario job = chiefAndOneThatJoins();
      job.exit("worker:0", 1);
      job.exit("chief:0", 0);
      assertEquals("it waits for worker:1", Phase.RUNNING, job.phase());

      leaves.accept(job);

      assertEquals(JobResult.Status.SUCCEEDED, job.state().result().status());
      assertEquals("1 of 2 tasks succeeded", job.state().result().message());
    }
  }

  /** Nothing has succeeded, so the job may not end well. */
  @Test
  public void shouldFailWhenTheLastOpenTaskDoesNotJoinAndNoneHasSucceeded() {
    Scenario job =
        Scenario.requested(
            job()
                .role("chief", 1, Supervision.UNTRACKED)
                .workers(2)
                .least(1)
                .joining()
                .failOnlyWhenAllFail());
    job.allocate("chief");
    job.allocate("worker");
    job.registerAll();
    job.fires(Timer.ELASTIC);
    job.fires(Timer.GROWTH);
    job.allocate("worker");
    job.exit("worker:0", 1);

    job.containerEnds("worker:1", FailureKind.LOST, "its node is lost");

    assertEquals(JobResult.Status.FAILED, job.state().result().status());
    assertEquals(new TaskId("worker", 1), job.state().result().task());
  }

  @Test
  public void shouldGoOnUnderTheNextMaster() {
    Scenario job = Scenario.running(workers(4, 2));
    job.containerEnds("worker:1", FailureKind.LOST, "its node is lost");

    List<Action> actions = job.nextMaster("worker:0", "worker:2");

    assertEquals(0, job.state().session());
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(
        "what was asked for, and what went with the master",
        List.of("worker 1", "worker 1"),
        requested(actions));
    assertEquals(List.of(), set(Timer.ALLOCATION, actions));
    assertTrue(only(RestartTask.class, actions).isEmpty());
  }

  @Test
  public void shouldFailWithAProgramThatTakesTooLongAlsoWhenOthersAreDone() {
    Scenario job = Scenario.running(workers(3, 1));
    job.exit("worker:2", 0);

    job.exit(
        job.key("worker:1"),
        new Event.Exit(143, "", Map.of(), "ran for longer than 1 h", true, false));

    assertEquals(FailureKind.TIMEOUT, job.state().result().kind());
  }

  /** Such as the nodes of Ray. */
  @Test
  public void shouldLetTasksJoinThatTheJobDoesNotWaitFor() {
    Scenario job =
        Scenario.running(
            job()
                .role("chief", 1, Supervision.TRACKED)
                .role("worker", 3, Supervision.UNTRACKED)
                .least(1)
                .joining());
    job.exit("worker:2", 0);

    List<Action> lost = job.containerEnds("worker:1", FailureKind.PREEMPTED, "taken");

    assertEquals("one that has ended says nothing", List.of("worker 1"), requested(lost));
    assertNobodyRestarted(job, lost);
    job.allocate("worker");
    assertEquals(List.of("worker:1"), started(job.register("worker:1")));
    job.exit("chief:0", 0);
    assertEquals(JobResult.Status.SUCCEEDED, job.state().result().status());
  }

  /** One that has come is not all that people are told of. */
  @Test
  public void shouldTellWhatItWaitsForUntilTheLastLostMemberHasAContainer() {
    Scenario job = Scenario.running(workers(4, 2));
    job.containerEnds("worker:2", FailureKind.LOST, "its node is lost");
    job.containerEnds("worker:3", FailureKind.LOST, "its node is lost");
    job.allocate("worker");
    assertTrue(job.timers().contains(Timer.NOTICE));

    job.allocate("worker");

    assertFalse(job.timers().contains(Timer.NOTICE));
  }

  @Test
  public void shouldReplaceAMovedMemberBeforeItGrows() {
    Scenario job = running(3, workers(4, 1));
    job.fires(Timer.GROWTH);
    Instant announced = job.now();
    job.happens(new Event.PreemptionNotice(announced, List.of(job.key("worker:2"))));

    List<Action> moved = kept(job, announced);

    assertEquals(1, only(CancelRequests.class, moved).get(0).count());
    assertEquals(List.of("worker 1"), requested(moved));
    assertEquals(List.of("worker:2"), launched(job.allocate("worker")));
    assertEquals(1, only(ReleaseContainer.class, job.allocate("worker")).size());
  }

  @Test
  public void shouldMoveMembersOfSeveralRolesWhereEachHasEnoughOthers() {
    Scenario job =
        Scenario.running(
            job()
                .role("chief", 1, Supervision.TRACKED)
                .workers(3)
                .least(2)
                .role("ps", 3, Supervision.UNTRACKED)
                .least(2)
                .joining());
    Instant announced = job.now();
    job.happens(
        new Event.PreemptionNotice(announced, List.of(job.key("worker:2"), job.key("ps:2"))));

    List<Action> moved =
        job.happens(
            new Event.CheckpointReported(
                job.now(), CheckpointTrackerTest.kept("chief:0", 0, 120, 1, announced)));

    assertNobodyRestarted(job, moved);
    assertEquals(List.of("worker 1", "ps 1"), requested(moved));
  }

  @Test
  public void shouldStartAllAgainWhereTooManyMembersAreMovedTogether() {
    Scenario job = Scenario.running(workers(3, 2));
    Instant announced = job.now();
    job.happens(
        new Event.PreemptionNotice(announced, List.of(job.key("worker:1"), job.key("worker:2"))));

    List<Action> moved = kept(job, announced);

    assertEquals(1, job.state().session());
    assertEquals(List.of("worker:0"), restarted(moved));
    assertEquals(List.of("worker 2"), requested(moved));
  }

  @Test
  public void shouldNotMoveAMemberThatNeedNotComeBack() {
    Scenario job = Scenario.running(workers(3, 1));
    job.exit("worker:2", 0);
    Instant announced = job.now();
    job.happens(new Event.PreemptionNotice(announced, List.of(job.key("worker:1"))));

    List<Action> kept = kept(job, announced);

    assertEquals(List.of(), stopped(kept));
    assertEquals(TaskState.RUNNING, job.stateOf("worker:1"));
  }

  /** The job goes on without its role before its program has started. */
  @Test
  public void shouldLetNoTaskJoinARoleThatIsExcused() {
    Scenario job =
        Scenario.requested(
            job()
                .role("prepare", 1, Supervision.TRACKED)
                .workers(3)
                .least(1)
                .role("export", 1, Supervision.TRACKED)
                .groupTimeout("worker", Duration.ofMinutes(10), true, "prepare")
                .joining());
    job.allocate("prepare");
    job.allocate("worker", 2);
    job.allocate("export");
    job.registerAll();
    job.fires(Timer.ELASTIC);
    job.fires(Timer.GROWTH);
    job.allocate("worker");
    assertEquals(TaskState.LAUNCHING, job.stateOf("worker:2"));
    job.exit("prepare:0", 0);

    List<Action> excused = job.fires(Timer.group(0));

    assertEquals(List.of("worker:2"), containersStopped(excused));
    assertEquals(List.of("3 to 2", "2 to 3", "3 to 2"), resized(job));
  }
}
