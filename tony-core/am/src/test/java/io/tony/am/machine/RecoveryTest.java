package io.tony.am.machine;

import static io.tony.am.machine.Scenario.containersStopped;
import static io.tony.am.machine.Scenario.only;
import static io.tony.am.machine.Scenario.requested;
import static io.tony.am.machine.Scenario.restarted;
import static io.tony.am.machine.Scenario.started;
import static io.tony.am.machine.Scenario.stopped;
import static io.tony.model.SampleJob.evaluated;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Action.AvoidNodes;
import io.tony.am.machine.Action.PublishAddress;
import io.tony.am.machine.Action.ReleaseContainer;
import io.tony.am.machine.Action.SetTimer;
import io.tony.event.Fact;
import io.tony.event.JobFact;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.ResourceSpec;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.Test;

/** What an ApplicationMaster does with the job of one that was lost. */
public class RecoveryTest {

  @Test
  public void shouldLetRunningTasksTrainOn() {
    Scenario job = Scenario.running(job().workers(2));

    List<Action> actions = job.nextMaster("worker:0", "worker:1");

    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(List.of(), restarted(actions));
    assertEquals(List.of(), requested(actions));
    // Told again: whether the order had arrived is not known.
    assertEquals(List.of("worker:0", "worker:1"), started(actions));
    assertEquals("2", job.facts(JobEvent.Type.AM_STARTED).get(1).detail("running"));
    assertEquals("told once", 1, job.facts(JobEvent.Type.JOB_DESCRIBED).size());
    job.register("worker:0");
    job.exit("worker:0", 0);
    job.exit("worker:1", 0);
    assertEquals(JobResult.succeeded("2 of 2 tasks succeeded"), job.result());
  }

  @Test
  public void shouldStartTheGangAgainWhenATaskWasLostMeanwhile() {
    Scenario job = Scenario.running(job().workers(3).retries(0, 1));

    List<Action> actions = job.nextMaster("worker:0", "worker:2");

    assertEquals(List.of("worker:0", "worker:2"), restarted(actions));
    assertEquals(List.of("worker 1"), requested(actions));
    assertEquals(Phase.ALLOCATING, job.phase());
  }

  @Test
  public void shouldChargeTheLossOfManyTasksTogetherOnce() {
    Scenario job = Scenario.running(job().workers(4).retries(0, 1));

    List<Action> actions = job.nextMaster("worker:0");

    assertEquals(List.of("worker:0"), restarted(actions));
    assertEquals(List.of("worker 3"), requested(actions));
    assertEquals(1, job.state().session());
  }

  /** The same application tried again by Azkaban begins above all of these numbers. */
  @Test
  public void shouldLeaveRoomForTheNumbersOfWhatIsReplacedAtNobodysExpense() {
    Scenario job = Scenario.allocated(job().workers(3));

    job.nextMaster();
    job.allocateAll();

    assertEquals(3, job.state().gang().attempt());
    assertEquals(10_004, AttemptLimits.maxAttempts(job.state().job(), 2));
  }

  /** As people write "no limit". */
  @Test
  public void shouldLeaveRoomForTheNumbersOfAJobWithHugeLimits() {
    SampleJob gang = job().workers(3_000).retries(0, 3, 1_000_000);
    SampleJob each = job().workers(2_000).each(Integer.MAX_VALUE);
    SampleJob all = job().workers(2).retries(Integer.MAX_VALUE, Integer.MAX_VALUE);
    for (SampleJob job : List.of(gang, each, all)) {
      assertEquals(1_000_000, AttemptLimits.maxAttempts(job.spec(), 2));
    }
  }

  @Test
  public void shouldAvoidTheNodeOfATaskThatIsLostBetweenTwoMasters() {
    Scenario job = Scenario.running(job().workers(3).retries(0, 1));

    List<Action> actions = job.nextMaster("worker:0", "worker:2");

    assertEquals(List.of(new AvoidNodes(Set.of("node-c1"))), only(AvoidNodes.class, actions));
    assertEquals("half is left", List.of(), job.cluster(new ResourceSpec(1024, 1), 2));
  }

  /** YARN avoids for the next ApplicationMaster what it avoided for the one before. */
  @Test
  public void shouldForgiveAgainWhatItsPredecessorHadForgiven() {
    Scenario job = Scenario.running(job().workers(2).retries(0, 1));
    job.nextMaster("worker:0");
    job.cluster(new ResourceSpec(1024, 1), 1);

    List<Action> actions = job.nextMaster("worker:0");

    assertEquals(
        List.of(new AvoidNodes(Set.of("node-c1")), new AvoidNodes(Set.of())),
        only(AvoidNodes.class, actions));
  }

  @Test
  public void shouldForgiveNodesOnceItIsKnownThatTooFewAreLeft() {
    Scenario job = Scenario.running(job().workers(2).retries(0, 1));
    job.nextMaster("worker:0");

    List<Action> actions = job.cluster(new ResourceSpec(1024, 1), 1);

    assertEquals(List.of(new AvoidNodes(Set.of())), only(AvoidNodes.class, actions));
    assertEquals(1, job.facts(JobEvent.Type.NODES_FORGIVEN).size());
  }

  // ---- What YARN took with the ApplicationMaster ----

  /** A container that no node had reported as running: YARN ends it with the attempt. */
  private static final Event.ContainerEnd TAKEN =
      new Event.ContainerEnd(FailureKind.AM_LOST, "YARN took it with the lost ApplicationMaster");

  private static List<Action> taken(Scenario job, String task, String... alive) {
    Set<String> left =
        Arrays.stream(alive).map(one -> job.key(one).container()).collect(Collectors.toSet());
    return job.nextMaster(left, Map.of(job.key(task).container(), TAKEN));
  }

  @Test
  public void shouldChargeNobodyForWhatYarnTookWithTheMaster() {
    Scenario job = Scenario.running(job().workers(3));

    List<Action> actions = taken(job, "worker:1", "worker:0", "worker:2");

    assertEquals(List.of("worker:0", "worker:2"), restarted(actions));
    assertEquals(List.of("worker 1"), requested(actions));
    assertEquals(List.of(), only(AvoidNodes.class, actions));
    assertEquals(new RetryBudget(0, 0, 0), job.state().budget());
    assertEquals("AM_LOST", job.facts(JobEvent.Type.TASK_FAILED).get(0).detail("kind"));
    assertEquals("nobody", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).detail("charged"));
    job.allocateAll();
    job.registerAll();
    assertEquals(Phase.RUNNING, job.phase());
  }

  @Test
  public void shouldStartATaskAgainAloneThatYarnTookWithTheMaster() {
    Scenario job = Scenario.running(job().workers(2).each(1));

    List<Action> actions = taken(job, "worker:1", "worker:0");

    assertEquals(List.of("worker 1"), requested(actions));
    assertEquals(List.of("worker:0"), started(actions));
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals("nobody", job.facts(JobEvent.Type.TASK_RESTARTED).get(0).detail("charged"));
    job.allocateAll();
    job.registerAll();
    assertEquals("its own budget", List.of("worker:1"), restarted(job.exit("worker:1", 1)));
  }

  /** The takeover itself ends the job: nothing is to start any more. */
  @Test
  public void shouldStartNothingWhereWhatWasLostEndsTheJob() {
    Scenario job = Scenario.running(job().workers(3));

    List<Action> actions = job.nextMaster("worker:0", "worker:2");

    assertEquals(Phase.STOPPING, job.phase());
    assertEquals(List.of(), started(actions));
    assertEquals(List.of(), restarted(actions));
  }

  @Test
  public void shouldKnowFromYarnWhatBecameOfATaskMeanwhile() {
    Scenario job = Scenario.running(job().workers(2).retries(0, 0, 1));

    job.nextMaster(
        Set.of(job.key("worker:0").container()),
        Map.of(
            job.key("worker:1").container(),
            new Event.ContainerEnd(FailureKind.PREEMPTED, "YARN preempted the container")));

    assertEquals(new RetryBudget(0, 0, 0), job.state().budget());
    assertEquals("PREEMPTED", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).detail("kind"));
  }

  // ---- What was lost together ----

  /** Nobody misses the one; without the other the work is not done. */
  @Test
  public void shouldNotEndAJobWhoseLastWorkerWasLostTogetherWithASidecar() {
    Scenario job =
        Scenario.running(
            job().role("tensorboard", 1, Supervision.SIDECAR).workers(2).retries(0, 1));
    job.exit("worker:0", 0);

    job.nextMaster();

    assertEquals(Phase.ALLOCATING, job.phase());
    assertEquals("worker:1", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).task().toString());
  }

  @Test
  public void shouldStartAgainForTheWorkerAndNotForTheSidecarThatWasLostWithIt() {
    Scenario job =
        Scenario.running(
            job().role("tensorboard", 1, Supervision.SIDECAR).workers(1).retries(0, 1));

    job.nextMaster();

    assertEquals(Phase.ALLOCATING, job.phase());
    assertEquals("worker:0", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).task().toString());
  }

  /** The end of a program is one that such a job goes on after; a loss is not. */
  @Test
  public void shouldNotEndAJobWhoseLastWorkerWasLostBesideOneThatMayFail() {
    Scenario job = Scenario.running(job().workers(3).failOnlyWhenAllFail().retries(0, 1));
    job.exit("worker:0", 0);

    job.nextMaster(
        Set.of(),
        Map.of(
            job.key("worker:1").container(),
            new Event.ContainerEnd(FailureKind.MEMORY, "too much memory")));

    assertEquals(Phase.ALLOCATING, job.phase());
    assertEquals("worker:2", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).task().toString());
  }

  @Test
  public void shouldNotEndAJobWhoseEvaluatorWasLostTogetherWithOneThatWasToJoin() {
    Scenario job =
        Scenario.requested(
            job()
                .role("chief", 1, Supervision.TRACKED)
                .workers(2)
                .least(1)
                .role("evaluator", 1, Supervision.TRACKED)
                .joining()
                .failOnlyWhenAllFail()
                .retries(0, 1));
    List.of("chief", "worker", "evaluator").forEach(job::allocate);
    job.registerAll();
    job.fires(Timer.ELASTIC);
    job.fires(Timer.GROWTH);
    job.allocate("worker");
    job.exit("worker:0", 1);
    job.exit("chief:0", 0);
    assertEquals(TaskState.LAUNCHING, job.stateOf("worker:1"));

    job.nextMaster();

    assertEquals(Phase.ALLOCATING, job.phase());
    assertEquals("evaluator:0", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).task().toString());
  }

  // ---- A log with a hole ----

  @Test
  public void shouldFailAJobOfWhichSomebodyKnowsMoreThanTheLog() {
    Scenario job = Scenario.running(job().workers(2).retries(3, 3));
    TaskKey known = job.key("worker:1");
    job.nextMaster("worker:0", "worker:1");

    List<Action> actions = job.register(new TaskKey(known.task(), 4, "c9"));

    assertEquals(List.of("worker:1", "worker:0", "worker:1"), stopped(actions));
    assertEquals(FailureKind.AM_LOST, job.state().result().kind());
    String message = job.state().result().message();
    assertTrue(message, message.contains("worker:1 (attempt 4, c9) was started"));
  }

  @Test
  public void shouldFailAJobOfWhichAClientKnowsMoreThanTheLog() {
    Scenario job = Scenario.running(job().workers(1));

    job.happens(new Event.LogIncomplete(Instant.EPOCH, "a client has seen 9 events"));

    String message = job.state().result().message();
    assertTrue(message, message.contains("is not complete: a client has seen 9 events."));
  }

  @Test
  public void shouldAskAgainForWhatIsMissing() {
    Scenario job = Scenario.requested(job().workers(3));
    job.allocate("worker");
    job.register("worker:0");

    List<Action> actions = job.nextMaster("worker:0");

    assertEquals(List.of("worker 2"), requested(actions));
    job.allocateAll();
    job.register("worker:1");
    assertEquals(List.of("worker:0", "worker:1", "worker:2"), started(job.register("worker:2")));
  }

  @Test
  public void shouldReplaceAtNobodysExpenseWhatHadNotStarted() {
    Scenario job = Scenario.allocated(job().workers(3));
    job.register("worker:0");

    List<Action> actions = job.nextMaster("worker:0");

    assertEquals(2, requested(actions).size());
    assertEquals(Phase.ALLOCATING, job.phase());
    assertEquals(TaskState.REGISTERED, job.stateOf("worker:0"));
  }

  @Test
  public void shouldGiveContainersBackThatTheLogDoesNotKnow() {
    Scenario job = Scenario.requested(job().workers(1));

    List<Action> actions = job.nextMaster(Set.of("c77"));

    assertEquals(List.of(new ReleaseContainer("c77")), only(ReleaseContainer.class, actions));
  }

  @Test
  public void shouldGiveThemBackAlsoWhileItStops() {
    Scenario job = Scenario.running(job().workers(2));
    job.exit("worker:0", 7);

    List<Action> actions = job.nextMaster(Set.of(job.key("worker:1").container(), "c77"));

    assertEquals(Phase.STOPPING, job.phase());
    assertEquals(List.of(new ReleaseContainer("c77")), only(ReleaseContainer.class, actions));
  }

  @Test
  public void shouldEndTheExecutorsOfTasksThatHadEndedAlsoWhileItStops() {
    Scenario job = Scenario.running(job().workers(2));
    job.exit("worker:0", 7);

    assertEquals(Phase.STOPPING, job.phase());
    List<Action> actions = job.nextMaster("worker:0", "worker:1");
    assertEquals(List.of("worker:0", "worker:1"), stopped(actions));
    assertEquals(List.of("worker:0"), containersStopped(actions));
  }

  @Test
  public void shouldTellExecutorsAgainThatTheyAreToStartAgain() {
    Scenario job = Scenario.running(job().workers(2).retries(1, 0));
    job.exit("worker:0", 1);

    List<Action> actions = job.nextMaster("worker:0", "worker:1");

    assertEquals(List.of("worker:0", "worker:1"), restarted(actions));
    assertEquals(new RetryBudget(0, 0, 0), job.state().budget());
    job.registerAll();
    assertEquals(Phase.RUNNING, job.phase());
  }

  @Test
  public void shouldEndTheExecutorsOfTasksThatHadEnded() {
    Scenario job = Scenario.running(job().workers(2));
    job.exit("worker:0", 0);

    List<Action> actions = job.nextMaster("worker:0", "worker:1");

    assertEquals(List.of("worker:0"), stopped(actions));
    assertEquals("it may not listen", List.of("worker:0"), containersStopped(actions));
    job.exit("worker:1", 0);
    assertEquals(JobResult.succeeded("2 of 2 tasks succeeded"), job.result());
  }

  @Test
  public void shouldGoOnStopping() {
    Scenario job = Scenario.running(job().workers(2));
    job.exit("worker:0", 7);

    assertEquals(List.of("worker:1"), stopped(job.nextMaster("worker:1")));

    job.exit("worker:1", 143);
    assertEquals("worker:0 exited with code 7", job.result().message());
    assertEquals(FailureKind.PROGRAM, job.result().kind());
  }

  @Test
  public void shouldAskAtOnceWhenItsPredecessorWasBackingOff() {
    Scenario job = Scenario.requested(job().workers(2).hold(Duration.ofMinutes(1)));
    job.allocate("worker");
    job.fires(Timer.PARTIAL_ALLOCATION);

    assertEquals(List.of("worker 2"), requested(job.nextMaster()));
  }

  @Test
  public void shouldLimitTheAllocationWhenItsPredecessorWasBackingOff() {
    Scenario job =
        Scenario.requested(
            job().workers(2).hold(Duration.ofMinutes(1)).allocationLimit(Duration.ofMinutes(5)));
    job.allocate("worker");
    job.fires(Timer.PARTIAL_ALLOCATION);

    List<Action> actions = job.nextMaster();

    assertTrue(actions.contains(new SetTimer(Timer.ALLOCATION, Duration.ofMinutes(5))));
  }

  @Test
  public void shouldLimitTheWaitForTheContainerOfATaskThatStartsAgainAlone() {
    Scenario job =
        Scenario.running(job().workers(2).each(1).allocationLimit(Duration.ofMinutes(5)));
    job.containerEnds("worker:1", FailureKind.LOST, "its disks failed");

    List<Action> actions = job.nextMaster("worker:0");

    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(
        List.of(
            new SetTimer(Timer.NOTICE, ContainerShortage.NOTICE_AFTER),
            new SetTimer(Timer.ALLOCATION, Duration.ofMinutes(5))),
        only(SetTimer.class, actions));
  }

  @Test
  public void shouldLimitARoleWhoseGroupHadEndedBefore() {
    Scenario job = Scenario.running(evaluated(false));
    job.exit("worker:0", 0);

    List<Action> actions = job.nextMaster("evaluator:0");

    assertEquals(
        List.of(new SetTimer(Timer.group(0), Duration.ofMinutes(10))),
        only(SetTimer.class, actions));
  }

  @Test
  public void shouldNotLimitARoleWithoutWhichTheJobGoesOn() {
    Scenario job = Scenario.running(evaluated(true).role("export", 1, Supervision.TRACKED));
    job.exit("worker:0", 0);
    job.fires(Timer.group(0));

    List<Action> actions = job.nextMaster("evaluator:0", "export:0");

    assertEquals(List.of(), only(SetTimer.class, actions));
  }

  @Test
  public void shouldCountTheJobsTimeFromItsFirstApplicationMaster() {
    Duration limit = Duration.ofHours(2);
    Scenario job = Scenario.running(job().workers(1).applicationLimit(limit));
    job.pass(Duration.ofMinutes(90));

    List<Action> actions = job.nextMaster("worker:0");

    assertEquals(
        List.of(new SetTimer(Timer.APPLICATION, Duration.ofMinutes(30))),
        only(SetTimer.class, actions));
  }

  @Test
  public void shouldGiveTheJobNoMoreThanItsTimeWhereTheClockWasSetBack() {
    Duration limit = Duration.ofHours(2);
    Scenario job = Scenario.running(job().workers(1).applicationLimit(limit));
    job.pass(Duration.ofHours(-5));

    List<Action> actions = job.nextMaster("worker:0");

    assertEquals(List.of(new SetTimer(Timer.APPLICATION, limit)), only(SetTimer.class, actions));
  }

  @Test
  public void shouldStartFromTheBeginningWhenTheLogIsEmpty() {
    Scenario job = Scenario.of(job().workers(2));

    List<Action> actions = job.nextMaster(Set.of("c77"));

    assertEquals(List.of("worker 2"), requested(actions));
    assertEquals(List.of(new ReleaseContainer("c77")), only(ReleaseContainer.class, actions));
  }

  @Test
  public void shouldKnowTheTensorBoardThatRunsOn() {
    Scenario job = Scenario.running(job().workers(2));
    job.tensorBoardListens(job.key("worker:0"));

    List<Action> actions = job.nextMaster("worker:0", "worker:1");

    assertEquals("http://host-worker:6006", job.state().tensorBoardUrl());
    assertEquals(List.of(), only(Action.ShowTensorBoard.class, actions));
    assertEquals("told again", List.of(), job.tensorBoardListens(job.key("worker:0")));
  }

  @Test
  public void shouldShowNoTensorBoardThatIsLostWithItsMaster() {
    Scenario job = Scenario.running(job().workers(2).retries(0, 1));
    job.tensorBoardListens(job.key("worker:0"));

    List<Action> actions = job.nextMaster("worker:1");

    assertEquals(
        List.of(new Action.ShowTensorBoard("")), only(Action.ShowTensorBoard.class, actions));
  }

  @Test
  public void shouldPassOverWhatIsNoFactOfTheMachine() {
    JobState state = JobState.initial(job().workers(2).spec(), 1);
    for (Fact fact :
        List.of(new JobFact.UsageReport(Map.of()), new JobFact.Advice("ask for less"))) {
      assertSame(state, JobStateReducer.apply(state, fact.toEvent(Instant.EPOCH, 0)));
    }
  }

  /** Those that live, and clients, look for it there. */
  @Test
  public void shouldPublishItsOwnAddressAlsoWhileItStops() {
    Scenario job = Scenario.running(job().workers(2));
    assertTrue(job.nextMaster("worker:0", "worker:1").contains(new PublishAddress()));
    job.exit("worker:0", 7);
    assertEquals(Phase.STOPPING, job.phase());

    assertTrue(job.nextMaster("worker:1").contains(new PublishAddress()));
  }

  /** Nothing is left that could say that it has ended. */
  @Test
  public void shouldFinishAtOnceWhereNothingLivesOfWhatItStops() {
    Scenario job = Scenario.running(job().workers(2));
    job.exit("worker:0", 7);

    job.nextMaster();

    assertEquals("worker:0 exited with code 7", job.result().message());
    assertEquals(TaskState.STOPPED, job.stateOf("worker:1"));
  }

  @Test
  public void shouldLimitAJobWhoseTimeIsUp() {
    Duration limit = Duration.ofHours(2);
    for (Duration taken : List.of(limit, limit.plusHours(1))) {
      Scenario job = Scenario.running(job().workers(1).applicationLimit(limit));
      job.pass(taken);

      List<Action> actions = job.nextMaster("worker:0");

      assertEquals(
          List.of(new SetTimer(Timer.APPLICATION, Duration.ofMillis(1))),
          only(SetTimer.class, actions));
    }
  }
}
