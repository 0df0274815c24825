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
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StartTask;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.ResourceSpec;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

/** In which order roles start, and what a gang does that cannot have all its containers. */
public class StartTest {
  private static final Duration HOLD = Duration.ofMinutes(1);

  private static SampleJob prepared() {
    return job().role("prepare", 1, Supervision.TRACKED).workers(2).after("prepare");
  }

  // ---- Roles that wait for others ----

  @Test
  public void shouldAskForARoleOnlyWhenThoseThatItDependsOnHaveEnded() {
    Scenario job = Scenario.of(prepared());

    assertEquals(List.of("prepare 1"), requested(job.ready()));
    job.allocateAll();
    assertEquals(List.of("prepare:0"), started(job.register("prepare:0")));
    List<Action> ended = job.exit("prepare:0", 0);

    assertEquals(List.of("worker 2"), requested(ended));
    assertEquals(Phase.ALLOCATING, job.phase());
    job.allocateAll();
    job.registerAll();
    job.exit("worker:0", 0);
    job.exit("worker:1", 0);
    assertEquals(JobResult.succeeded("3 of 3 tasks succeeded"), job.result());
  }

  @Test
  public void shouldShowARoleThoseThatStartWithItAndNotThoseThatHaveEnded() {
    Scenario job = Scenario.running(prepared());
    assertEquals(Set.of("prepare"), lastCluster(job));

    job.exit("prepare:0", 0);
    job.allocateAll();
    job.registerAll();

    assertEquals(Set.of("worker"), lastCluster(job));
  }

  private static Set<String> lastCluster(Scenario job) {
    List<StartTask> starts = job.all(StartTask.class);
    return starts.get(starts.size() - 1).cluster().endpoints().keySet();
  }

  @Test
  public void shouldNotPrepareAgainWhatWasPreparedWhenTheGangStartsAgain() {
    Scenario job = Scenario.running(prepared().retries(1, 0));
    job.exit("prepare:0", 0);
    job.allocateAll();
    job.registerAll();

    List<Action> failure = job.exit("worker:0", 1);

    assertEquals(List.of("worker:0", "worker:1"), restarted(failure));
    assertEquals(List.of(), requested(failure));
    assertEquals(TaskState.SUCCEEDED, job.stateOf("prepare:0"));
  }

  @Test
  public void shouldPrepareAgainWhenThePreparationFailed() {
    Scenario job = Scenario.running(prepared().retries(1, 0));

    assertEquals(List.of("prepare:0"), restarted(job.exit("prepare:0", 1)));

    job.registerAll();
    assertEquals(List.of("worker 2"), requested(job.exit("prepare:0", 0)));
  }

  @Test
  public void shouldHandTheModelParametersOfAPreparationOn() {
    Scenario job = Scenario.running(prepared());
    Map<String, String> outputs = Map.of(JobState.MODEL_PARAMS, "--lr 0.1");
    job.exit(job.key("prepare:0"), new Event.Exit(0, "", outputs, "", false, false));
    job.allocateAll();

    job.registerAll();

    List<StartTask> starts = job.all(StartTask.class);
    assertEquals("--lr 0.1", starts.get(starts.size() - 1).modelParams());
  }

  // ---- Gangs that wait ----

  @Test
  public void shouldSayWhatIsShortWhenContainersDoNotCome() {
    Scenario job = Scenario.requested(job().workers(3));
    job.allocate("worker");
    job.cluster(new ResourceSpec(512, 8), 2);

    job.fires(Timer.NOTICE);

    JobEvent fact = job.facts(JobEvent.Type.GANG_WAITING).get(0);
    assertEquals("2 × worker (1024 MiB, 1 vcore)", fact.detail("missing"));
    assertEquals("512 MiB, 8 vcores", fact.detail("free"));
    assertEquals("memory", fact.detail("short"));
  }

  @Test
  public void shouldSayOfEachResourceThatItIsShort() {
    Scenario job = Scenario.requested(job().workers(2).gpus(1));
    job.cluster(new ResourceSpec(1024, 0), 2);

    job.fires(Timer.NOTICE);

    JobEvent fact = job.facts(JobEvent.Type.GANG_WAITING).get(0);
    assertEquals("vcores, yarn.io/gpu", fact.detail("short"));
  }

  @Test
  public void shouldGiveItsContainersBackWhenItHasHeldThemTooLong() {
    Scenario job = Scenario.requested(job().workers(4).hold(HOLD));
    job.allocate("worker", 3);
    job.register("worker:0");

    List<Action> actions = job.fires(Timer.PARTIAL_ALLOCATION);

    assertEquals(Phase.BACKING_OFF, job.phase());
    assertEquals(List.of("worker:0"), stopped(actions));
    assertEquals(List.of("worker:1", "worker:2"), containersStopped(actions));
    assertEquals(1, only(CancelRequests.class, actions).get(0).count());
    assertEquals(1, job.facts(JobEvent.Type.GANG_BACKED_OFF).size());
    assertEquals(4, job.state().tasks().count(TaskState.WAITING));
  }

  @Test
  public void shouldAskAgainWhenItHasBackedOff() {
    Scenario job = Scenario.requested(job().workers(2).hold(HOLD));
    job.allocate("worker");
    job.fires(Timer.PARTIAL_ALLOCATION);

    assertEquals(List.of("worker 2"), requested(job.fires(Timer.BACK_OFF)));
    job.allocateAll();
    job.registerAll();

    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(0, job.state().session());
  }

  @Test
  public void shouldWaitLongerEachTimeAndDifferentlyFromJobToJob() {
    Scenario job = Scenario.requested(job().workers(2).hold(HOLD));
    Duration first = backOff(job);
    job.fires(Timer.BACK_OFF);
    Duration second = backOff(job);

    assertTrue(first + " " + second, between(first, 5, 15) && between(second, 10, 30));
    Scenario other = Scenario.requested(job().workers(2).hold(HOLD), 8);
    assertNotEquals(first, backOff(other));
  }

  @Test
  public void shouldNotWaitInStepWithTheJobThatIsSubmittedNext() {
    int apart = 0;
    for (int number = 1; number <= 100; number++) {
      Duration one = backOff(Scenario.requested(job().workers(2).hold(HOLD), number));
      Duration next = backOff(Scenario.requested(job().workers(2).hold(HOLD), number + 1));
      apart += one.minus(next).abs().compareTo(Duration.ofSeconds(1)) > 0 ? 1 : 0;
    }
    assertTrue(apart + " of 100 pairs differ by a tenth", apart > 70);
  }

  private static Duration backOff(Scenario job) {
    job.allocate("worker");
    return only(SetTimer.class, job.fires(Timer.PARTIAL_ALLOCATION)).stream()
        .filter(set -> set.timer().equals(Timer.BACK_OFF))
        .findFirst()
        .orElseThrow()
        .delay();
  }

  private static boolean between(Duration time, int least, int most) {
    return time.toMillis() >= least * 1000L && time.toMillis() <= most * 1000L;
  }

  @Test
  public void shouldKeepNobodyFromAnythingWhileItHoldsNothing() {
    Scenario job = Scenario.requested(job().workers(2).hold(HOLD));

    assertEquals(
        List.of(new SetTimer(Timer.PARTIAL_ALLOCATION, HOLD)), job.fires(Timer.PARTIAL_ALLOCATION));

    assertEquals(Phase.ALLOCATING, job.phase());
  }

  @Test
  public void shouldKeepWhatItHasWhereTasksAreServedAsTheyCome() {
    Scenario job = Scenario.requested(job().workers(2).hold(HOLD).firstComeFirstServed());
    job.allocate("worker");

    job.fires(Timer.PARTIAL_ALLOCATION);

    assertEquals(Phase.ALLOCATING, job.phase());
  }

  @Test
  public void shouldCountTheAllocationLimitOnWhileItBacksOff() {
    Scenario job =
        Scenario.requested(job().workers(2).hold(HOLD).allocationLimit(Duration.ofMinutes(5)));
    job.allocate("worker");
    job.cluster(new ResourceSpec(512, 8), 2);
    job.fires(Timer.PARTIAL_ALLOCATION);

    job.fires(Timer.ALLOCATION);

    assertEquals(FailureKind.TIMEOUT, job.result().kind());
    assertEquals(
        "YARN did not give all containers within 300 s (tony.container.allocation.timeout): the"
            + " gang gave back what it had, for the 1. time, and waited to ask again for 2 × worker"
            + " (1024 MiB, 1 vcore); the queue has 512 MiB, 8 vcores left, which is too little for"
            + " one of them in memory. Ask for less, or for another queue",
        job.result().message());
  }

  // ---- Roles that outlive a group ----

  @Test
  public void shouldFailWhenARoleOutlivesItsGroupTooLong() {
    Scenario job = Scenario.running(evaluated(false));
    List<Action> ended = job.exit("worker:0", 0);
    assertTrue(ended.contains(new SetTimer(Timer.group(0), Duration.ofMinutes(10))));

    job.fires(Timer.group(0));
    job.exit("evaluator:0", 143);

    assertEquals(
        JobResult.failed(
            FailureKind.TIMEOUT,
            "1 task of evaluator did not end within 600 s after the group others"
                + " (tony.application.dependency.evaluator.timeout.after.others)"),
        job.result());
  }

  @Test
  public void shouldSucceedWithoutARoleWhoseTimeoutIsIgnored() {
    Scenario job = Scenario.running(evaluated(true));
    job.exit("worker:0", 0);

    assertEquals(List.of("evaluator:0"), stopped(job.fires(Timer.group(0))));

    job.exit("evaluator:0", 143);
    assertEquals(JobResult.succeeded("1 of 2 tasks succeeded"), job.result());
    assertEquals("evaluator", job.facts(JobEvent.Type.ROLE_EXCUSED).get(0).detail("role"));
  }

  /** It would wait for a role that hangs, which is what the limit is for. */
  @Test
  public void shouldStartARoleThatWaitsForOneWhoseTimeoutIsIgnored() {
    Scenario job =
        Scenario.running(evaluated(true).role("export", 1, Supervision.TRACKED).after("evaluator"));
    job.exit("worker:0", 0);

    List<Action> excused = job.fires(Timer.group(0));

    assertEquals(List.of("export 1"), requested(excused));
    job.allocate("export");
    assertEquals(List.of("export:0"), started(job.register("export:0")));
    assertEquals(List.of("evaluator:0"), stopped(job.exit("export:0", 0)).subList(1, 2));
    job.exit("evaluator:0", 143);
    assertEquals(JobResult.succeeded("2 of 3 tasks succeeded"), job.result());
  }

  @Test
  public void shouldLimitARoleAfterAGroupOfWhichOneTimeoutWasIgnored() {
    Scenario job =
        Scenario.running(
            evaluated(true)
                .role("report", 1, Supervision.TRACKED)
                .groupTimeout("report", Duration.ofMinutes(5), false, "worker", "evaluator"));
    job.exit("worker:0", 0);

    List<Action> excused = job.fires(Timer.group(0));

    assertTrue(excused.contains(new SetTimer(Timer.group(1), Duration.ofMinutes(5))));
  }

  /** Its tasks end one after the other: none of them gives the report more time. */
  @Test
  public void shouldNotProlongALimitByTheEndOfARoleWhoseTimeoutWasIgnored() {
    Scenario job =
        Scenario.running(
            job()
                .workers(1)
                .role("evaluator", 2, Supervision.TRACKED)
                .role("report", 1, Supervision.TRACKED)
                .groupTimeout("evaluator", Duration.ofMinutes(10), true, "worker")
                .groupTimeout("report", Duration.ofMinutes(5), false, "worker", "evaluator"));
    job.exit("worker:0", 0);
    job.fires(Timer.group(0));

    job.exit("evaluator:0", 0);
    job.exit("evaluator:1", 0);

    assertEquals(
        1,
        job.all(SetTimer.class).stream().filter(set -> set.timer().equals(Timer.group(1))).count());
  }

  @Test
  public void shouldStillFailWithARoleThatStopsTheJobAfterItsTimeoutWasIgnored() {
    SampleJob sample = evaluated(true).stopsJob().role("export", 1, Supervision.TRACKED);
    Scenario job = Scenario.running(sample);
    job.exit("worker:0", 0);
    job.fires(Timer.group(0));

    job.exit("evaluator:0", 1);

    assertEquals(new TaskId("evaluator", 0), job.facts(JobEvent.Type.TASK_FAILED).get(0).task());
    job.exit("export:0", 143);
    assertEquals(JobResult.Status.FAILED, job.result().status());
    assertEquals(new TaskId("evaluator", 0), job.result().task());
  }

  @Test
  public void shouldFailWhenNothingHasSucceededBesideARoleWhoseTimeoutIsIgnored() {
    Scenario job =
        Scenario.running(
            job()
                .role("ps", 1, Supervision.UNTRACKED)
                .workers(1)
                .groupTimeout("worker", Duration.ofMinutes(10), true, "ps"));
    job.exit("ps:0", 0);

    job.fires(Timer.group(0));
    job.exit("worker:0", 143);

    assertEquals(
        JobResult.failed(
            FailureKind.TIMEOUT,
            "1 task of worker did not end within 600 s after the group others"
                + " (tony.application.dependency.worker.timeout.after.others); without it no task"
                + " has succeeded"),
        job.result());
  }

  @Test
  public void shouldNotMindATimerOfARoleThatHasEnded() {
    Scenario job = Scenario.running(evaluated(false));
    job.exit("evaluator:0", 0);

    assertEquals(JobResult.Status.SUCCEEDED, resultAfter(job));
  }

  private static JobResult.Status resultAfter(Scenario job) {
    job.exit("worker:0", 0);
    return job.result().status();
  }

  /** What it is limited by then begins with the next end of the group. */
  @Test
  public void shouldTakeTheLimitsOfGroupsBackWhenTheGangStartsAgain() {
    Scenario job = Scenario.running(evaluated(false).retries(1, 0));
    job.exit("worker:0", 0);
    assertEquals(Set.of(Timer.group(0)), job.timers());

    List<Action> actions = job.exit("evaluator:0", 1);

    assertEquals("it waits for a container", Set.of(Timer.NOTICE), job.timers());
    assertEquals(
        "of each rule, and of no other",
        List.of(new CancelTimer(Timer.group(0))),
        only(CancelTimer.class, actions).stream()
            .filter(cancel -> cancel.timer().kind() == Timer.Kind.GROUP)
            .toList());
  }

  @Test
  public void shouldCountOnlyThoseThatHaveNotEndedWithinTheLimitOfTheirGroup() {
    Scenario job =
        Scenario.running(
            job()
                .workers(1)
                .role("evaluator", 3, Supervision.TRACKED)
                .groupTimeout("evaluator", Duration.ofMinutes(10), false, "worker"));
    job.exit("evaluator:1", 0);
    job.exit("worker:0", 0);

    job.fires(Timer.group(0));

    String message = job.state().result().message();
    assertTrue(message, message.startsWith("2 tasks of evaluator did not end within 600 s"));
  }

  // ---- The timers of the wait for containers ----

  /** Whatever comes gives the others as long again. */
  @Test
  public void shouldHoldItsContainersFromTheLastOneThatCame() {
    Scenario job = Scenario.requested(job().workers(3).hold(HOLD));

    assertTrue(job.allocate("worker").contains(new SetTimer(Timer.PARTIAL_ALLOCATION, HOLD)));
    assertTrue(job.allocate("worker").contains(new SetTimer(Timer.PARTIAL_ALLOCATION, HOLD)));
  }

  @Test
  public void shouldLetNothingBecomeDueOnceEveryContainerIsThere() {
    Scenario job = Scenario.requested(job().workers(2).least(1).hold(HOLD));
    Set<Timer> waiting = Set.of(Timer.PARTIAL_ALLOCATION, Timer.ELASTIC, Timer.NOTICE);
    assertEquals(waiting, job.timers());
    job.allocate("worker");
    assertEquals(waiting, job.timers());

    job.allocate("worker");

    assertEquals(Set.of(), job.timers());
  }

  /** It asks for nothing meanwhile, and has too few to start with. */
  @Test
  public void shouldLetOnlyTheNextRequestBecomeDueWhileItBacksOff() {
    Scenario job = Scenario.requested(job().workers(4).least(3).hold(HOLD));
    job.allocate("worker", 2);

    job.fires(Timer.PARTIAL_ALLOCATION);

    assertEquals(Phase.BACKING_OFF, job.phase());
    assertEquals(Set.of(Timer.BACK_OFF), job.timers());
  }

  // ---- What is done for good ----

  /** The job goes on after its failure, and who waited for its end has begun. */
  @Test
  public void shouldNotPrepareAgainWhatFailedOnceTheRoleThatWaitedForItWasAskedFor() {
    Scenario job =
        Scenario.running(
            prepared()
                .role("export", 1, Supervision.TRACKED)
                .after("worker")
                .failOnlyWhenAllFail()
                .retries(1, 0));
    job.exit("prepare:0", 1);
    job.allocateAll();
    job.registerAll();
    assertEquals("another role waits on", TaskState.WAITING, job.stateOf("export:0"));

    List<Action> failure = job.exit("worker:0", 1);

    assertEquals(List.of("worker:0", "worker:1"), restarted(failure));
    assertEquals(List.of(), requested(failure));
    assertEquals(TaskState.FAILED, job.stateOf("prepare:0"));
  }
}
