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
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Action.AvoidNodes;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.ReleaseContainer;
import io.tony.am.machine.Action.RestartTask;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StartTask;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.ResourceSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

/** What is started again after a failure, in which containers, and at whose expense. */
public class RestartTest {
  private static final ResourceSpec PLENTY = new ResourceSpec(65_536, 64);

  // ---- The gang, in place ----

  @Test
  public void shouldStartTheGangAgainInItsContainersWhenAProgramFails() {
    Scenario job = Scenario.running(job().workers(3).retries(1, 0));
    TaskKey before = job.key("worker:1");

    List<Action> actions = job.exit("worker:0", 3);

    assertEquals(List.of("worker:0", "worker:1", "worker:2"), restarted(actions));
    assertEquals(List.of(), requested(actions));
    assertEquals(Phase.REGISTERING, job.phase());
    assertEquals(new TaskKey(before.task(), 1, before.container()), job.key("worker:1"));
    JobEvent fact = job.facts(JobEvent.Type.GANG_RESTARTED).get(0);
    assertEquals("worker:0 exited with code 3", fact.detail("message"));
    assertEquals("0", fact.detail("left"));
    assertEquals("3", fact.detail("kept"));
  }

  @Test
  public void shouldStartNothingBeforeEveryExecutorHasRegisteredAgain() {
    Scenario job = Scenario.running(job().workers(2).retries(1, 0));
    job.exit("worker:0", 3);

    assertEquals(List.of(), started(job.register("worker:0")));
    List<Action> last = job.register("worker:1");

    assertEquals(List.of("worker:0", "worker:1"), started(last));
    assertEquals(1, only(StartTask.class, last).get(0).session());
  }

  @Test
  public void shouldReplaceOnlyTheContainerThatIsLost() {
    Scenario job = Scenario.running(job().workers(3).retries(0, 1));

    List<Action> actions = job.containerEnds("worker:1", FailureKind.LOST, "its node was lost");

    assertEquals(List.of("worker:0", "worker:2"), restarted(actions));
    assertEquals(List.of("worker 1"), requested(actions));
    assertEquals(Phase.ALLOCATING, job.phase());
    assertEquals(TaskState.REQUESTED, job.stateOf("worker:1"));
  }

  @Test
  public void shouldAskForContainersAgainForTasksThatHadSucceeded() {
    Scenario job = Scenario.running(job().workers(2).retries(1, 0));
    assertEquals(List.of("worker:0"), stopped(job.exit("worker:0", 0)));

    List<Action> actions = job.exit("worker:1", 1);

    assertEquals(List.of("worker:1"), restarted(actions));
    assertEquals(List.of("worker 1"), requested(actions));
  }

  @Test
  public void shouldEndAnExecutorThatIsSilentAndReplaceIt() {
    Scenario job = Scenario.running(job().workers(2).retries(0, 1));

    List<Action> actions = job.silent("worker:0");

    assertTrue(stopped(actions).contains("worker:0"));
    assertTrue(containersStopped(actions).contains("worker:0"));
    assertEquals(List.of("worker:1"), restarted(actions));
    assertEquals(List.of("worker 1"), requested(actions));
  }

  @Test
  public void shouldTellAnExecutorThatRegistersAsAnEarlierAttemptToStartAgain() {
    Scenario job = Scenario.allocated(job().workers(2).retries(0, 1));
    TaskKey old = job.key("worker:1");
    job.register("worker:0");
    job.registerAll();
    job.containerEnds("worker:0", FailureKind.LOST, "its node was lost");

    List<Action> actions = job.register(old);

    assertEquals(1, only(RestartTask.class, actions).get(0).attempt());
    assertEquals(TaskState.LAUNCHING, job.stateOf("worker:1"));
  }

  @Test
  public void shouldPassOverAnExitThatCrossesTheRestart() {
    Scenario job = Scenario.running(job().workers(2).retries(1, 0));
    TaskKey old = job.key("worker:1");
    job.exit("worker:0", 3);

    assertEquals(List.of(), job.exit(old, 1));

    assertEquals(TaskState.LAUNCHING, job.stateOf("worker:1"));
  }

  @Test
  public void shouldSucceedInTheSecondSession() {
    Scenario job = Scenario.running(job().workers(1).retries(1, 0));
    job.exit("worker:0", 3);
    job.registerAll();

    job.exit("worker:0", 0);

    assertEquals(JobResult.succeeded("1 of 1 task succeeded"), job.result());
  }

  @Test
  public void shouldLimitARoleAnewWhoseGroupStaysDone() {
    Scenario job =
        Scenario.running(
            job()
                .role("prep", 1, Supervision.TRACKED)
                .workers(2)
                .after("prep")
                .groupTimeout("worker", Duration.ofMinutes(10), false, "prep")
                .retries(1, 0));
    job.exit("prep:0", 0);
    job.allocateAll();
    job.registerAll();

    List<Action> actions = job.exit("worker:0", 1);

    int cancelled = actions.indexOf(new CancelTimer(Timer.group(0)));
    int set = actions.indexOf(new SetTimer(Timer.group(0), Duration.ofMinutes(10)));
    assertTrue(actions.toString(), 0 <= cancelled && cancelled < set);
  }

  @Test
  public void shouldNotLimitARoleWhoseGroupStartsAgain() {
    Scenario job = Scenario.running(evaluated(false).retries(1, 0));
    job.exit("worker:0", 0);

    List<Action> actions = job.exit("evaluator:0", 1);

    assertTrue(actions.contains(new CancelTimer(Timer.group(0))));
    assertFalse(actions.contains(new SetTimer(Timer.group(0), Duration.ofMinutes(10))));
  }

  // ---- Budgets ----

  @Test
  public void shouldFailWhenTheUsersBudgetIsSpent() {
    Scenario job = Scenario.running(job().workers(1).retries(1, 5));
    job.exit("worker:0", 3);
    job.registerAll();

    job.exit("worker:0", 4);

    assertEquals("worker:0 exited with code 4", job.result().message());
    assertEquals(FailureKind.PROGRAM, job.result().kind());
  }

  @Test
  public void shouldChargeEachKindOfFailureToItsOwnBudget() {
    Scenario job = Scenario.running(job().workers(1).retries(1, 1, 1));

    job.containerEnds("worker:0", FailureKind.PREEMPTED, "preempted");
    assertEquals(new RetryBudget(1, 1, 0), job.state().budget());
    job.allocateAll();
    job.registerAll();
    job.exit("worker:0", 1);
    assertEquals(new RetryBudget(0, 1, 0), job.state().budget());
    job.registerAll();
    job.containerEnds("worker:0", FailureKind.LOST, "its node was lost");
    assertEquals(new RetryBudget(0, 0, 0), job.state().budget());
    job.allocateAll();
    job.registerAll();
    job.containerEnds("worker:0", FailureKind.LOST, "its node was lost");

    assertEquals(FailureKind.LOST, job.result().kind());
    assertEquals(3, job.facts(JobEvent.Type.GANG_RESTARTED).size());
  }

  @Test
  public void shouldChargeTheMemoryLimitToTheUsersBudget() {
    Scenario job = Scenario.running(job().workers(1).retries(1, 0));

    job.containerEnds("worker:0", FailureKind.MEMORY, "too much memory");

    assertEquals(new RetryBudget(0, 0, 0), job.state().budget());
    assertEquals(Phase.ALLOCATING, job.phase());
  }

  @Test
  public void shouldChargeALostPortToNoUser() {
    Scenario job = Scenario.running(job().workers(2).retries(0, 1));

    List<Action> actions = losesItsPort(job, "worker:0");

    assertEquals(List.of("worker:0", "worker:1"), restarted(actions));
    assertEquals(new RetryBudget(0, 0, 0), job.state().budget());
    assertEquals(
        "worker:0 exited with code 1: another process holds a port that it was to listen on",
        job.facts(JobEvent.Type.TASK_FAILED).get(0).detail("message"));
    assertEquals(List.of(), only(AvoidNodes.class, actions));
  }

  @Test
  public void shouldChargeACheckpointThatIsGoneToNoUser() {
    Scenario job = Scenario.running(job().workers(2).retries(0, 1));

    List<Action> actions =
        job.exit(
            job.key("worker:0"),
            new Event.Exit(
                1, "", Map.of(), "it is gone", false, false, "", "", null, null, false, true));

    assertEquals(List.of("worker:0", "worker:1"), restarted(actions));
    assertEquals(new RetryBudget(0, 0, 0), job.state().budget());
    JobEvent failed = job.facts(JobEvent.Type.TASK_FAILED).get(0);
    assertEquals("worker:0: it is gone", failed.detail("message"));
    assertEquals("LOST", failed.detail("kind"));
    assertEquals(List.of(), only(AvoidNodes.class, actions));
  }

  private static List<Action> losesItsPort(Scenario job, String task) {
    return job.exit(job.key(task), new Event.Exit(1, "in use", Map.of(), "", false, true));
  }

  @Test
  public void shouldChargeALostPortToNoRole() {
    Scenario job = Scenario.running(job().workers(2).each(1).retries(0, 1));

    assertEquals(List.of("worker:1"), restarted(losesItsPort(job, "worker:1")));
    assertEquals(new RetryBudget(0, 0, 0), job.state().budget());
    job.nextMaster("worker:0", "worker:1");
    assertEquals(List.of("worker:1"), started(job.register("worker:1")));

    assertEquals(List.of("worker:1"), restarted(job.exit("worker:1", 1)));
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(TaskState.RUNNING, job.stateOf("worker:0"));
    List<JobEvent> facts = job.facts(JobEvent.Type.TASK_RESTARTED);
    assertEquals("job", facts.get(0).detail("charged"));
    assertEquals("role", facts.get(1).detail("charged"));
  }

  /** Spent, a lost port is like any other loss. */
  @Test
  public void shouldStartASidecarAgainThatLosesItsPort() {
    Scenario job =
        Scenario.running(
            job().role("tensorboard", 1, Supervision.SIDECAR).workers(1).retries(0, 1));

    assertEquals(List.of("tensorboard:0"), restarted(losesItsPort(job, "tensorboard:0")));
    assertEquals(List.of("tensorboard:0"), started(job.register("tensorboard:0")));
    List<Action> second = losesItsPort(job, "tensorboard:0");

    assertEquals(List.of("tensorboard:0"), stopped(second));
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(TaskState.RUNNING, job.stateOf("worker:0"));
  }

  @Test
  public void shouldChargeTheLossOfANodeOnceHoweverManyTasksItTakes() {
    Scenario job = Scenario.requested(job().workers(4).retries(0, 1));
    job.allocateOn("worker", "good");
    job.allocateOn("worker", "bad");
    job.allocateOn("worker", "bad");
    job.allocateOn("worker", "bad");
    job.registerAll();

    job.containerEnds("worker:1", FailureKind.LOST, "its node was lost");
    List<Action> second = job.containerEnds("worker:2", FailureKind.LOST, "its node was lost");
    List<Action> third = job.containerEnds("worker:3", FailureKind.LOST, "its node was lost");

    assertEquals(List.of("worker 1"), requested(second));
    assertEquals(List.of("worker 1"), requested(third));
    assertEquals(Phase.ALLOCATING, job.phase());
    job.allocateAll();
    job.registerAll();
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(1, job.state().session());
  }

  /** It is a loss of its own: what waits falls with others, and a program that runs does not. */
  @Test
  public void shouldChargeTheLossOfAProgramThatRunsBesideWhatWasLostBeforeItsStart() {
    Scenario job = Scenario.allocated(job().workers(3).firstComeFirstServed().retries(0, 2));
    job.register("worker:0");

    job.containerEnds("worker:1", FailureKind.LOST, "its node was lost");
    job.containerEnds("worker:0", FailureKind.LOST, "its node was lost");

    assertEquals("job", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).detail("charged"));
    assertEquals(new RetryBudget(0, 0, 0), job.state().budget());
  }

  @Test
  public void shouldChargeANodeOnceThatIsLostBeforeTheStart() {
    Scenario job = Scenario.requested(job().workers(4).retries(0, 1));
    job.cluster(PLENTY, 4);
    for (int i = 0; i < 4; i++) {
      job.allocateOn("worker", "bad");
    }
    job.register("worker:0");

    loseAll(job, FailureKind.LOST, "worker:0", "worker:1", "worker:2");
    job.nextMaster("worker:3"); // it knows what was paid
    List<Action> actions = loseAll(job, FailureKind.LOST, "worker:3");

    assertEquals(List.of("worker 1"), requested(actions));
    assertEquals(new RetryBudget(0, 0, 0), job.state().budget());
    assertEquals(
        List.of("job", "incident", "incident", "incident"),
        job.facts(JobEvent.Type.TASK_RESTARTED).stream().map(f -> f.detail("charged")).toList());
    assertRunsAgain(job);
  }

  @Test
  public void shouldChargeASecondNodeNothingThatIsLostWithTheFirst() {
    Scenario job = Scenario.requested(job().workers(6).retries(0, 1));
    job.cluster(PLENTY, 6);
    for (int i = 0; i < 6; i++) {
      job.allocateOn("worker", i < 3 ? "first" : "second");
    }
    job.registerAll();

    loseAll(job, FailureKind.LOST, "worker:0", "worker:1", "worker:2");
    loseAll(job, FailureKind.LOST, "worker:3", "worker:4", "worker:5");

    assertEquals(new RetryBudget(0, 0, 0), job.state().budget());
    assertEquals(1, job.state().session());
    assertRunsAgain(job);
    job.containerEnds("worker:0", FailureKind.LOST, "its node was lost");
    assertEquals("of a gang that runs: a new incident", FailureKind.LOST, resultOf(job).kind());
  }

  @Test
  public void shouldChargeABurstOfPreemptionsOnce() {
    Scenario job = Scenario.running(job().workers(21).retries(0, 0, 1));

    for (int i = 0; i < 21; i++) {
      loseAll(job, FailureKind.PREEMPTED, "worker:" + i);
    }

    assertEquals(new RetryBudget(0, 0, 0), job.state().budget());
    assertEquals(1, job.state().session());
    assertRunsAgain(job);
  }

  /** What grows with the square of the gang needs more than twice the limit. */
  @Test(timeout = 15_000)
  public void shouldPayForALossInALargeGangWhatItCostsInASmallOne() {
    int tasks = 20_000;
    Scenario job = Scenario.running(job().workers(tasks).retries(0, 1, 1));
    job.cluster(PLENTY, tasks);

    for (FailureKind kind : List.of(FailureKind.LOST, FailureKind.PREEMPTED)) {
      for (int i = 0; i < tasks; i++) {
        job.containerEnds("worker:" + i, kind, "with its node");
      }
      assertEquals(tasks, job.state().tasks().count(TaskState.REQUESTED));
      job.allocateAll();
      job.registerAll();
      assertEquals(Phase.RUNNING, job.phase());
    }

    assertEquals(new RetryBudget(0, 0, 0), job.state().budget());
  }

  @Test
  public void shouldChargeANodeOnceThatTakesTasksWhichStartAgainAlone() {
    Scenario job = Scenario.running(job().workers(5).each(1).retries(0, 1));
    loseAll(job, FailureKind.LOST, "worker:1", "worker:2", "worker:3", "worker:4");
    job.allocateAll();

    loseAll(job, FailureKind.LOST, "worker:1", "worker:2", "worker:3", "worker:4");

    assertEquals(new RetryBudget(0, 0, 0), job.state().budget());
    assertEquals(TaskState.RUNNING, job.stateOf("worker:0"));
    assertRunsAgain(job);
  }

  /** It takes no other task with it. */
  @Test
  public void shouldChargeANodeThatIsLostAfterAPortWas() {
    Scenario job = Scenario.running(job().workers(2).retries(0, 1));
    losesItsPort(job, "worker:0");

    loseAll(job, FailureKind.LOST, "worker:1");

    assertEquals(FailureKind.LOST, resultOf(job).kind());
  }

  /** However many fall in one round, each round costs: a task that never comes up ends the job. */
  @Test
  public void shouldChargeEachRoundOfLossesBeforeTheStart() {
    Scenario job = Scenario.allocated(job().workers(3).retries(0, 2));
    for (int round = 0; round < 2; round++) {
      loseAll(job, FailureKind.LOST, "worker:0", "worker:1", "worker:2");
      job.allocateAll();
    }
    assertEquals(new RetryBudget(0, 0, 0), job.state().budget());

    loseAll(job, FailureKind.LOST, "worker:2");

    assertEquals(FailureKind.LOST, resultOf(job).kind());
  }

  private static List<Action> loseAll(Scenario job, FailureKind kind, String... tasks) {
    List<Action> last = List.of();
    for (String task : tasks) {
      last = job.containerEnds(task, kind, "its container is gone");
    }
    return last;
  }

  private static void assertRunsAgain(Scenario job) {
    job.allocateAll();
    job.registerAll();
    assertEquals(Phase.RUNNING, job.phase());
  }

  private static JobResult resultOf(Scenario job) {
    return job.state().result();
  }

  // ---- Before the start ----

  @Test
  public void shouldReplaceATaskThatIsLostBeforeTheStartAndKeepTheOthers() {
    Scenario job = Scenario.allocated(job().workers(3).retries(0, 1));
    job.register("worker:0");

    List<Action> actions = job.containerEnds("worker:1", FailureKind.LOST, "did not start");

    assertEquals(List.of(), restarted(actions));
    assertEquals(List.of("worker 1"), requested(actions));
    assertEquals(Phase.ALLOCATING, job.phase());
    assertEquals(TaskState.REGISTERED, job.stateOf("worker:0"));
    job.allocateAll();
    job.register("worker:1");
    assertEquals(List.of("worker:0", "worker:1", "worker:2"), started(job.register("worker:2")));
    assertEquals(0, job.state().session());
  }

  @Test
  public void shouldFailWhenTasksAreLostBeforeTheStartAgainAndAgain() {
    Scenario job = Scenario.allocated(job().workers(2).retries(0, 1));
    job.containerEnds("worker:0", FailureKind.LOST, "did not start");
    job.allocateAll();

    job.containerEnds("worker:0", FailureKind.LOST, "did not start");
    job.containerEnds("worker:1", FailureKind.LOST, "stopped");

    assertEquals(FailureKind.LOST, job.result().kind());
  }

  @Test
  public void shouldReleaseAContainerThatNobodyWaitsFor() {
    Scenario job = Scenario.running(job().workers(2).retries(1, 0));
    job.exit("worker:0", 1);

    assertEquals(List.of(new ReleaseContainer("c2")), job.allocate("worker"));
  }

  // ---- One task alone ----

  @Test
  public void shouldStartATaskAgainAloneWhereItsRoleAllowsIt() {
    Scenario job = Scenario.running(job().workers(3).each(1).retries(1, 1));

    List<Action> actions = job.exit("worker:1", 1);

    assertEquals(List.of("worker:1"), restarted(actions));
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(TaskState.RUNNING, job.stateOf("worker:0"));
    assertEquals(new RetryBudget(1, 1, 0), job.state().budget());
    List<Action> again = job.register("worker:1");
    assertEquals(List.of("worker:1"), started(again));
    assertEquals(3, only(StartTask.class, again).get(0).cluster().size());
    JobEvent fact = job.facts(JobEvent.Type.TASK_RESTARTED).get(0);
    assertEquals(new TaskId("worker", 1), fact.task());
    assertEquals("kept", fact.detail("where"));
  }

  @Test
  public void shouldGiveATaskThatIsLostAnotherContainerAndItsOldIndex() {
    Scenario job = Scenario.running(job().workers(3).each(1));

    List<Action> actions = job.containerEnds("worker:1", FailureKind.LOST, "its node was lost");

    assertEquals(List.of("worker 1"), requested(actions));
    assertEquals(List.of(), restarted(actions));
    assertEquals(List.of("worker:1"), Scenario.launched(job.allocate("worker")));
    assertEquals(List.of("worker:1"), started(job.register("worker:1")));
    assertEquals(0, job.state().session());
  }

  /** Its role pays first, whether the program ran or not. */
  @Test
  public void shouldChargeTheRoleForATaskThatIsLostBeforeItRunsAgain() {
    Scenario job = Scenario.running(job().workers(3).each(4).retries(0, 1, 1));

    for (int times = 0; times < 4; times++) {
      job.containerEnds("worker:1", FailureKind.PREEMPTED, "taken");
      job.allocate("worker");
    }

    assertEquals(new RetryBudget(0, 1, 1), job.state().budget());
    job.containerEnds("worker:1", FailureKind.PREEMPTED, "taken");
    assertEquals("the role's are spent", new RetryBudget(0, 1, 0), job.state().budget());
    assertEquals("the others run on", Phase.RUNNING, job.phase());
    assertEquals(0, job.state().session());
  }

  @Test
  public void shouldStartTheGangAgainWhenATaskWasTriedOftenEnoughAlone() {
    Scenario job = Scenario.running(job().workers(2).each(1).retries(1, 0));
    job.exit("worker:1", 1);
    job.register("worker:1");

    List<Action> actions = job.exit("worker:1", 1);

    assertEquals(List.of("worker:0", "worker:1"), restarted(actions));
    assertEquals(1, job.state().session());
    assertEquals(2, job.key("worker:0").attempt());
  }

  @Test
  public void shouldStartASidecarAgainWhereItsRoleAllowsItAndThenDoWithoutIt() {
    Scenario job =
        Scenario.running(job().role("tensorboard", 1, Supervision.SIDECAR).each(1).workers(1));

    assertEquals(List.of("tensorboard:0"), restarted(job.exit("tensorboard:0", 1)));
    job.register("tensorboard:0");
    List<Action> second = job.exit("tensorboard:0", 1);

    assertEquals(List.of("tensorboard:0"), stopped(second));
    assertEquals(Phase.RUNNING, job.phase());
  }

  @Test
  public void shouldNotTakeASidecarsFailureForAReasonToStartAgain() {
    Scenario job =
        Scenario.running(
            job().workers(1).role("tensorboard", 1, Supervision.SIDECAR).retries(1, 1));

    job.containerEnds("tensorboard:0", FailureKind.LOST, "its node was lost");

    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(0, job.state().session());
  }

  // ---- Bad nodes ----

  @Test
  public void shouldAvoidANodeOnWhichATaskWasLost() {
    Scenario job = Scenario.requested(job().workers(2).retries(0, 3));
    job.cluster(PLENTY, 4);
    job.allocateOn("worker", "good");
    job.allocateOn("worker", "bad");
    job.registerAll();

    List<Action> actions = job.containerEnds("worker:1", FailureKind.LOST, "its disks failed");

    assertEquals(List.of(new AvoidNodes(Set.of("bad"))), only(AvoidNodes.class, actions));
    List<Action> granted = job.allocateOn("worker", "bad");
    assertEquals(List.of("worker 1"), requested(granted));
    assertEquals(1, only(ReleaseContainer.class, granted).size());
    assertEquals(List.of("worker:1"), Scenario.launched(job.allocateOn("worker", "good")));
  }

  @Test
  public void shouldForgiveTheNodesWhenNoOtherComesForAWhile() {
    Scenario job = Scenario.requested(job().workers(1).retries(0, 3));
    job.cluster(PLENTY, 4);
    job.allocateOn("worker", "bad");
    job.registerAll();
    job.containerEnds("worker:0", FailureKind.LOST, "its disks failed");

    assertTrue(job.fires(Timer.NOTICE).contains(new AvoidNodes(Set.of())));

    assertEquals(List.of("worker:0"), Scenario.launched(job.allocateOn("worker", "bad")));
  }

  @Test
  public void shouldAvoidNoMoreThanHalfOfTheCluster() {
    Scenario job = Scenario.requested(job().workers(2).retries(0, 3));
    job.cluster(PLENTY, 3);
    job.allocateOn("worker", "a");
    job.allocateOn("worker", "b");
    job.registerAll();
    job.containerEnds("worker:0", FailureKind.LOST, "its disks failed");

    job.containerEnds("worker:1", FailureKind.LOST, "its disks failed");

    assertEquals(Set.of("a"), job.state().clusterView().avoided());
  }

  @Test
  public void shouldAvoidNoMoreThanAThousandNodes() {
    Scenario job = Scenario.running(job().workers(1_002).retries(0, 1));
    job.cluster(PLENTY, 10_000);

    for (int i = 0; i < 1_002; i++) {
      job.containerEnds("worker:" + i, FailureKind.LOST, "its rack lost its switch");
    }

    assertEquals(1_000, job.state().clusterView().avoided().size());
    assertEquals(1_002, job.state().tasks().count(TaskState.REQUESTED));
  }

  @Test
  public void shouldAvoidNoNodeForAProgramsFailure() {
    Scenario job = Scenario.requested(job().workers(1).retries(1, 1));
    job.cluster(PLENTY, 4);
    job.allocateAll();
    job.registerAll();

    assertEquals(List.of(), only(AvoidNodes.class, job.exit("worker:0", 1)));
  }

  // ---- What comes between ----

  @Test
  public void shouldEndWhenAStopComesWhileTheGangStartsAgain() {
    Scenario job = Scenario.running(job().workers(2).retries(1, 0));
    job.exit("worker:0", 1);

    List<Action> actions = job.stopBy("ada");

    assertEquals(List.of("worker:0", "worker:1"), stopped(actions));
    assertEquals(List.of(), containersStopped(actions));
    job.exit("worker:0", 143);
    job.containerEnds("worker:1", FailureKind.LOST, "ended");
    assertEquals(JobResult.killed("stopped by ada"), job.result());
  }

  @Test
  public void shouldNotStartAgainWhatRanTooLong() {
    Scenario job = Scenario.running(job().workers(1).each(5).retries(5, 5));

    job.exit(job.key("worker:0"), new Event.Exit(143, "", Map.of(), "ran too long", true, false));

    assertEquals(FailureKind.TIMEOUT, job.result().kind());
    assertEquals(List.of(), job.all(RestartTask.class));
  }

  // ---- TensorBoard ----

  @Test
  public void shouldTellAgainWhereTensorBoardListensAfterARestartOfTheGang() {
    Scenario job = Scenario.running(job().workers(2).retries(1, 0));
    TaskKey before = job.key("worker:0");
    job.tensorBoardListens(before);

    List<Action> restart = job.exit("worker:1", 1);

    assertEquals(
        List.of(new Action.ShowTensorBoard("")), only(Action.ShowTensorBoard.class, restart));
    assertEquals("late, of the program before", List.of(), job.tensorBoardListens(before));
    job.registerAll();
    assertEquals("late, of the program before", List.of(), job.tensorBoardListens(before));
    List<Action> again = job.tensorBoardListens(job.key("worker:0"));
    assertEquals(
        List.of(new Action.ShowTensorBoard("http://host-worker:6006")),
        only(Action.ShowTensorBoard.class, again));
    assertEquals(2, job.facts(JobEvent.Type.TENSORBOARD).size());
  }
}
