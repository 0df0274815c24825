package io.tony.am.machine;

import static io.tony.am.machine.Scenario.containersStopped;
import static io.tony.am.machine.Scenario.launched;
import static io.tony.am.machine.Scenario.only;
import static io.tony.am.machine.Scenario.requested;
import static io.tony.am.machine.Scenario.started;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.ReleaseContainer;
import io.tony.am.machine.Action.RequestCheckpoint;
import io.tony.am.machine.Action.RestartTask;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StartTask;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

/** Gangs that go on with fewer tasks, and grow again. */
public class ElasticPolicyTest {
  private static final Duration INTERVAL = Duration.ofMinutes(10);

  private static SampleJob workers(int instances, int least) {
    return job().workers(instances).least(least).retries(1, 1, 1);
  }

  private static final Duration SOON = Duration.ofSeconds(1);

  /** The last that is set for what the gang can do without. */
  private static Duration wait(List<Action> actions) {
    return only(SetTimer.class, actions).stream()
        .filter(set -> set.timer().equals(Timer.ELASTIC))
        .map(SetTimer::delay)
        .reduce((first, last) -> last)
        .orElseThrow();
  }

  private static List<String> resized(Scenario job) {
    return job.facts(JobEvent.Type.GANG_RESIZED).stream()
        .map(
            fact ->
                fact.detail("role")
                    + " "
                    + fact.detail("from")
                    + " to "
                    + fact.detail("instances")
                    + " ["
                    + fact.detail("moved")
                    + "]")
        .toList();
  }

  private static List<String> moved(List<Action> actions) {
    return only(RestartTask.class, actions).stream()
        .filter(restart -> !restart.asTask().equals(restart.from().task()))
        .map(restart -> restart.from().task() + " to " + restart.asTask())
        .toList();
  }

  private static Duration growth(List<Action> actions) {
    return only(SetTimer.class, actions).stream()
        .filter(set -> set.timer().equals(Timer.GROWTH))
        .map(SetTimer::delay)
        .findFirst()
        .orElseThrow();
  }

  private static List<Action> kept(Scenario job, long step, Instant asked) {
    return job.happens(
        new Event.CheckpointReported(
            job.now(),
            CheckpointTrackerTest.kept("worker:0", job.state().session(), step, 1, asked)));
  }

  // ---- Fewer ----

  @Test
  public void shouldStartWithWhatItHasWhenItHasWaited() {
    Scenario job = Scenario.requested(workers(4, 2));
    job.allocate("worker", 3);
    job.registerAll();
    assertEquals(Phase.ALLOCATING, job.phase());

    List<Action> actions = job.fires(Timer.ELASTIC);

    assertEquals(List.of("worker 4 to 3 []"), resized(job));
    assertEquals(1, only(CancelRequests.class, actions).get(0).count());
    assertEquals(List.of("worker:0", "worker:1", "worker:2"), started(actions));
    assertEquals(3, only(StartTask.class, actions).get(0).cluster().size());
    assertEquals(Phase.RUNNING, job.phase());
  }

  @Test
  public void shouldWaitOnWithFewerThanItNeeds() {
    Scenario job = Scenario.requested(workers(4, 2).role("ps", 1, Supervision.UNTRACKED));
    job.allocate("worker", 1);
    job.allocate("ps");

    List<Action> actions = job.fires(Timer.ELASTIC);
    assertEquals(List.of(), job.lastFacts());
    assertTrue(only(SetTimer.class, actions).get(0).timer().equals(Timer.ELASTIC));

    Scenario other = Scenario.requested(workers(4, 2).role("ps", 1, Supervision.UNTRACKED));
    other.allocate("worker", 3);
    other.fires(Timer.ELASTIC);
    assertEquals("the role that it needs is missing", List.of(), other.lastFacts());
  }

  @Test
  public void shouldGoOnWithoutALostTaskAndMoveTheLastInItsPlace() {
    Scenario job = Scenario.running(workers(4, 2));
    TaskKey last = job.key("worker:3");

    assertEquals(SOON, wait(job.containerEnds("worker:1", FailureKind.LOST, "its node is lost")));
    List<Action> actions = job.fires(Timer.ELASTIC);

    assertEquals(List.of("worker 4 to 3 [3:1]"), resized(job));
    assertEquals(List.of("worker:3 to worker:1"), moved(actions));
    assertEquals(last.container(), job.key("worker:1").container());
    assertEquals(Phase.REGISTERING, job.phase());
    assertEquals("nobody pays", new RetryBudget(1, 1, 1), job.state().budget());
    assertEquals(1, job.facts(JobEvent.Type.NODE_AVOIDED).size());

    job.registerAll();
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(3, job.state().tasks().size());
    assertEquals(3, job.state().tasks().cluster().size());
  }

  @Test
  public void shouldGoOnWithoutWhatOneNodeTookAtNobodysExpense() {
    Scenario job = Scenario.running(workers(4, 2));
    job.containerEnds("worker:0", FailureKind.LOST, "its node is lost");

    assertEquals(SOON, wait(job.containerEnds("worker:1", FailureKind.LOST, "its node is lost")));
    job.fires(Timer.ELASTIC);

    assertEquals("one change", List.of("worker 4 to 2 [2:0,3:1]"), resized(job));
    assertEquals(new RetryBudget(1, 1, 1), job.state().budget());
    job.registerAll();
    assertEquals(Phase.RUNNING, job.phase());
  }

  /** All are there when the gang runs, so that the next loss is one of its own. */
  @Test
  public void shouldChargeALossAnewAfterItStartedWithFewer() {
    Scenario job = Scenario.running(workers(4, 3));
    job.containerEnds("worker:3", FailureKind.LOST, "its node is lost");
    job.containerEnds("worker:2", FailureKind.LOST, "its node is lost");
    assertEquals(new RetryBudget(1, 0, 1), job.state().budget());
    job.allocate("worker");
    job.registerAll();

    job.fires(Timer.ELASTIC);

    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(List.of("worker 4 to 3 []"), resized(job));
    assertEquals(Map.of(), job.state().gang().charges());
    assertTrue(job.state().tasks().stream().allMatch(task -> task.losses().isEmpty()));
  }

  @Test
  public void shouldNeedAnotherContainerWhereTooFewAreLeft() {
    Scenario job = Scenario.running(workers(2, 2).role("other", 1, Supervision.TRACKED));
    job.containerEnds("worker:1", FailureKind.PREEMPTED, "taken");
    assertEquals(List.of(), resized(job));
    assertEquals(new RetryBudget(1, 1, 0), job.state().budget());

    Scenario elastic = Scenario.running(workers(3, 2));
    elastic.containerEnds("worker:1", FailureKind.PREEMPTED, "taken");
    elastic.fires(Timer.ELASTIC);
    elastic.registerAll();
    elastic.containerEnds("worker:1", FailureKind.PREEMPTED, "taken");
    assertEquals(List.of("worker 3 to 2 [2:1]"), resized(elastic));
    assertEquals(new RetryBudget(1, 1, 0), elastic.state().budget());
    assertEquals(Phase.ALLOCATING, elastic.phase());
  }

  @Test
  public void shouldPayForWhatItsProgramDid() {
    Scenario job = Scenario.running(workers(4, 2));

    job.exit("worker:1", 1);

    assertEquals(List.of(), resized(job));
    assertEquals(new RetryBudget(0, 1, 1), job.state().budget());
  }

  /** What the executor says meanwhile it says as the task that it was. */
  @Test
  public void shouldKnowAMovedTaskByItsContainer() {
    Scenario job = Scenario.running(workers(3, 1));
    TaskKey old = job.key("worker:2");
    job.containerEnds("worker:0", FailureKind.PREEMPTED, "taken");
    job.fires(Timer.ELASTIC);
    TaskKey now = job.key("worker:0");

    List<Action> again = job.register(old);
    assertEquals(
        List.of(new RestartTask(old, now.task(), now.attempt(), "it starts again", false)),
        only(RestartTask.class, again));
    job.happens(new Event.ContainerEnded(job.now(), old, FailureKind.PREEMPTED, "that one, too"));
    job.fires(Timer.ELASTIC);

    assertEquals("worker:0", job.facts(JobEvent.Type.TASK_FAILED).get(1).task().toString());
    assertEquals(List.of("worker 3 to 2 [2:0]", "worker 2 to 1 [1:0]"), resized(job));
  }

  @Test
  public void shouldShrinkAtOnceWhenContainersAreGivenBack() {
    Scenario job = Scenario.running(workers(3, 2));
    job.happens(new Event.PreemptionNotice(job.now(), List.of(job.key("worker:0"))));

    List<Action> actions = kept(job, 120, job.now());

    assertEquals(List.of("worker 3 to 2 [2:0]"), resized(job));
    assertEquals(List.of(), containersStopped(actions));
    assertEquals(Phase.REGISTERING, job.phase());
  }

  /** As without the loss of the ApplicationMaster. */
  @Test
  public void shouldGoOnSoonWithoutWhatWasLostWithTheMaster() {
    Scenario job = Scenario.running(workers(4, 2));

    List<Action> actions = job.nextMaster("worker:0", "worker:1", "worker:2");

    List<Duration> waits =
        only(SetTimer.class, actions).stream()
            .filter(set -> set.timer().equals(Timer.ELASTIC))
            .map(SetTimer::delay)
            .toList();
    assertEquals("the last one holds", SOON, waits.get(waits.size() - 1));
  }

  @Test
  public void shouldBeAsLargeForTheNextMaster() {
    Scenario job = Scenario.running(workers(4, 2));
    job.containerEnds("worker:1", FailureKind.LOST, "its node is lost");
    job.fires(Timer.ELASTIC);
    job.registerAll();

    List<Action> actions = job.nextMaster("worker:0", "worker:1", "worker:2");

    assertEquals(3, job.state().tasks().size());
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(INTERVAL.multipliedBy(2), growth(actions));
  }

  @Test
  public void shouldGoOnWithoutWhatWentWithTheMaster() {
    Scenario job = Scenario.running(workers(4, 2));

    job.nextMaster("worker:1", "worker:3");
    job.fires(Timer.ELASTIC);

    assertEquals(2, job.state().tasks().size());
    job.registerAll();
    assertEquals(Phase.RUNNING, job.phase());
  }

  // ---- More ----

  /** With three of four tasks. */
  private static Scenario shrunk() {
    Scenario job = Scenario.running(workers(4, 2));
    job.containerEnds("worker:1", FailureKind.PREEMPTED, "taken");
    job.fires(Timer.ELASTIC);
    job.registerAll();
    return job;
  }

  @Test
  public void shouldAskForACheckpointWhenThereIsRoomAndGrowFromIt() {
    Scenario job = shrunk();

    assertEquals(List.of("worker 1"), requested(job.fires(Timer.GROWTH)));
    List<Action> asked = job.allocateOn("worker", "node-9");
    assertEquals(3, only(RequestCheckpoint.class, asked).size());
    assertEquals("4", job.facts(JobEvent.Type.GANG_GROWS).get(0).detail("instances"));
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals("it trains on", List.of(), only(RestartTask.class, asked));
    assertEquals("all have come", List.of(), only(CancelRequests.class, asked));
    List<Action> grown = kept(job, 120, job.now());

    assertEquals(List.of("worker 4 to 3 [3:1]", "worker 3 to 4 []"), resized(job));
    assertEquals("in the container that came", List.of("worker:3"), launched(grown));
    assertEquals("node-9", job.state().tasks().get(TaskId.parse("worker:3")).node());
    assertEquals(3, only(RestartTask.class, grown).size());
    assertFalse("no answer is awaited", job.timers().contains(Timer.GROWTH));
    JobEvent restart = job.facts(JobEvent.Type.GANG_RESTARTED).get(1);
    assertEquals("RESIZED", restart.detail("kind"));
    assertEquals("nobody", restart.detail("charged"));
    job.registerAll();
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(4, job.state().tasks().count(TaskState.RUNNING));
  }

  @Test
  public void shouldGrowFromTheCheckpointOfATaskWhoseRoleHasRetries() {
    Scenario job =
        Scenario.running(
            job()
                .role("chief", 1, Supervision.TRACKED)
                .each(3)
                .workers(3)
                .least(1)
                .retries(1, 1, 1));
    job.containerEnds("worker:2", FailureKind.PREEMPTED, "taken");
    job.fires(Timer.ELASTIC);
    job.registerAll();
    job.fires(Timer.GROWTH);

    List<Action> asked = job.allocateOn("worker", "node-9");

    assertEquals("chief:0", only(RequestCheckpoint.class, asked).get(0).key().task().toString());
    assertEquals(3, only(RequestCheckpoint.class, asked).size());
    job.happens(
        new Event.CheckpointReported(
            job.now(),
            CheckpointTrackerTest.kept("chief:0", job.state().session(), 120, 1, job.now())));
    assertEquals(3, job.state().job().role("worker").instances());
    assertEquals(Phase.REGISTERING, job.phase());
  }

  @Test
  public void shouldGrowByWhatThereIs() {
    Scenario job = Scenario.running(workers(4, 1));
    job.containerEnds("worker:1", FailureKind.PREEMPTED, "taken");
    job.containerEnds("worker:2", FailureKind.PREEMPTED, "taken");
    job.fires(Timer.ELASTIC);
    job.registerAll();
    assertEquals(List.of("worker 2"), requested(job.fires(Timer.GROWTH)));
    job.allocate("worker");

    List<Action> asked = job.fires(Timer.GROWTH);

    assertEquals(1, only(CancelRequests.class, asked).get(0).count());
    assertEquals("3", job.facts(JobEvent.Type.GANG_GROWS).get(0).detail("instances"));
    kept(job, 120, job.now());
    job.registerAll();
    assertEquals(3, job.state().tasks().count(TaskState.RUNNING));
  }

  @Test
  public void shouldTrainOnWhereThereIsNoRoom() {
    Scenario job = shrunk();
    job.fires(Timer.GROWTH);

    List<Action> actions = job.fires(Timer.GROWTH);

    assertEquals(1, only(CancelRequests.class, actions).get(0).count());
    assertEquals(List.of(), job.lastFacts());
    assertEquals(INTERVAL.multipliedBy(2), growth(actions));
    assertEquals("too late", 1, only(ReleaseContainer.class, job.allocate("worker")).size());
  }

  @Test
  public void shouldForgiveNodesWhenItAsksForMoreInVain() {
    Scenario job = Scenario.running(workers(4, 2));
    job.containerEnds("worker:1", FailureKind.LOST, "its executor was killed");
    job.fires(Timer.ELASTIC);
    job.registerAll();
    job.fires(Timer.GROWTH);
    assertEquals(1, job.state().clusterView().avoided().size());

    job.fires(Timer.GROWTH);

    assertEquals(1, job.facts(JobEvent.Type.NODES_FORGIVEN).size());
    assertTrue(job.state().clusterView().avoided().isEmpty());
  }

  @Test
  public void shouldGiveBackWhatItCannotGrowIntoWithoutACheckpoint() {
    Scenario job = shrunk();
    kept(job, 110, job.now());
    assertEquals("nobody asked", Phase.RUNNING, job.phase());
    job.fires(Timer.GROWTH);
    job.allocate("worker");
    kept(job, 120, null);
    assertEquals("it was named before", Phase.RUNNING, job.phase());
    job.pass(Duration.ofSeconds(60));

    List<Action> actions = job.fires(Timer.GROWTH);

    assertEquals(1, only(ReleaseContainer.class, actions).size());
    assertEquals("seldom, where it changes often", INTERVAL.multipliedBy(4), growth(actions));
    kept(job, 130, job.now());
    assertEquals("too late", Phase.RUNNING, job.phase());
  }

  @Test
  public void shouldGiveBackWhatCameWhenTheGangStartsAgainOrEnds() {
    Scenario failed = shrunk();
    failed.fires(Timer.GROWTH);
    failed.allocate("worker");
    List<Action> again = failed.exit("worker:0", 1);
    assertEquals(1, only(ReleaseContainer.class, again).size());
    assertEquals("all have come", List.of(), only(CancelRequests.class, again));

    Scenario stopped = shrunk();
    stopped.fires(Timer.GROWTH);
    List<Action> actions = stopped.stopBy("ada");
    assertEquals(1, only(CancelRequests.class, actions).get(0).count());
  }

  /** What it would do again is done. */
  @Test
  public void shouldNotGrowWhenTasksHaveDoneTheirWork() {
    Scenario job = shrunk();
    job.fires(Timer.GROWTH);
    job.allocate("worker");
    job.exit("worker:2", 0);

    kept(job, 120, job.now());
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(1, only(ReleaseContainer.class, job.fires(Timer.GROWTH)).size());
  }

  @Test
  public void shouldNotGrowBeyondWhatItWants() {
    Scenario job = Scenario.running(workers(4, 2));

    assertTrue(job.all(SetTimer.class).stream().noneMatch(set -> set.timer().equals(Timer.GROWTH)));
  }

  @Test
  public void shouldNotGrowIntoAContainerThatIsGone() {
    Scenario job = Scenario.running(workers(4, 1));
    job.containerEnds("worker:1", FailureKind.PREEMPTED, "taken");
    job.containerEnds("worker:2", FailureKind.PREEMPTED, "taken");
    job.fires(Timer.ELASTIC);
    job.registerAll();
    job.fires(Timer.GROWTH);
    job.allocate("worker");
    assertEquals(List.of("worker 1"), requested(gone(job, "c4")));
    job.allocate("worker");
    job.allocate("worker");
    assertEquals("4", job.facts(JobEvent.Type.GANG_GROWS).get(0).detail("instances"));

    assertEquals(List.of(), gone(job, "c5"));
    List<Action> grown = kept(job, 120, job.now());

    assertEquals("worker 2 to 3 []", resized(job).get(1));
    assertEquals(List.of("worker:2"), launched(grown));
  }

  private static List<Action> gone(Scenario job, String container) {
    return job.happens(new Event.UnusedContainerEnded(job.now(), container));
  }

  @Test
  public void shouldNotGrowWhenAllThatCameIsGone() {
    Scenario job = shrunk();
    job.fires(Timer.GROWTH);
    job.allocate("worker");
    gone(job, "c4");

    kept(job, 120, job.now());

    assertEquals(Phase.RUNNING, job.phase());
  }

  /** It may be just these that the role waits for. */
  @Test
  public void shouldGiveBackWhatCameWhenAnotherRoleIsAskedFor() {
    Scenario job =
        Scenario.running(
            job()
                .role("prepare", 1, Supervision.TRACKED)
                .workers(2)
                .least(1)
                .role("evaluator", 1, Supervision.TRACKED)
                .after("prepare")
                .retries(1, 1, 1));
    job.containerEnds("worker:1", FailureKind.PREEMPTED, "taken");
    job.fires(Timer.ELASTIC);
    job.registerAll();
    job.fires(Timer.GROWTH);
    job.allocate("worker");

    List<Action> actions = job.exit("prepare:0", 0);

    assertEquals(1, only(ReleaseContainer.class, actions).size());
    assertEquals(List.of("evaluator 1"), requested(actions));
  }

  /** It knows of no container that came, and asks for others in its time. */
  @Test
  public void shouldBeginAnewToGrowUnderTheNextMaster() {
    Scenario job = shrunk();
    job.fires(Timer.GROWTH);
    job.allocate("worker");

    List<Action> actions = job.nextMaster("worker:0", "worker:1", "worker:2");

    assertEquals(INTERVAL.multipliedBy(4), growth(actions));
    kept(job, 120, job.now());
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(List.of("worker 1"), requested(job.fires(Timer.GROWTH)));
  }

  // ---- Limits of time ----

  @Test
  public void shouldGoOnWithWhatItHasBeforeItGivesAllBackOrFails() {
    Scenario held = Scenario.requested(workers(4, 2).hold(Duration.ofMinutes(2)));
    held.allocate("worker", 3);
    held.fires(Timer.PARTIAL_ALLOCATION);
    assertEquals(List.of("worker 4 to 3 []"), resized(held));
    assertEquals(Phase.REGISTERING, held.phase());
    assertEquals("it waits for no container", Set.of(), held.timers());

    Scenario limited = Scenario.requested(workers(4, 2).allocationLimit(Duration.ofMinutes(1)));
    limited.allocate("worker", 2);
    limited.fires(Timer.ALLOCATION);
    assertEquals(List.of("worker 4 to 2 []"), resized(limited));
    assertEquals(Phase.REGISTERING, limited.phase());
    assertEquals(Set.of(), limited.timers());
  }

  /** It would go on without tasks that it has, and needs the one that it lacks. */
  @Test
  public void shouldNotBoundTheWaitForWhatItCannotDoWithout() {
    Scenario job = Scenario.running(workers(4, 2).role("ps", 1, Supervision.UNTRACKED));

    job.containerEnds("ps:0", FailureKind.LOST, "its node is lost");

    assertEquals(Phase.ALLOCATING, job.phase());
    assertFalse(job.timers().contains(Timer.ELASTIC));
  }

  // ---- What keeps it from growing, and what does not ----

  @Test
  public void shouldGrowThoughASidecarHasEnded() {
    Scenario job = Scenario.requested(workers(4, 2).role("board", 1, Supervision.SIDECAR));
    job.allocate("worker", 3);
    job.allocate("board");
    job.registerAll();
    job.fires(Timer.ELASTIC);
    job.exit("board:0", 0);

    assertEquals(List.of("worker 1"), requested(job.fires(Timer.GROWTH)));
  }

  /** It has all that it asked for, and one of its tasks is just starting again. */
  @Test
  public void shouldNotTakeMoreContainersThanItHasAskedFor() {
    Scenario job =
        Scenario.requested(job().role("chief", 1, Supervision.TRACKED).each(3).workers(3).least(1));
    job.allocate("chief");
    job.allocate("worker", 2);
    job.registerAll();
    job.fires(Timer.ELASTIC);
    assertEquals(List.of("worker 1"), requested(job.fires(Timer.GROWTH)));
    job.exit("chief:0", 1);
    assertEquals(List.of(), only(ReleaseContainer.class, job.allocate("worker")));
    assertEquals("it waits for the chief", List.of(), job.facts(JobEvent.Type.GANG_GROWS));

    assertEquals(1, only(ReleaseContainer.class, job.allocate("worker")).size());
  }
}
