package io.tony.am.machine;

import static io.tony.am.machine.Scenario.containersStopped;
import static io.tony.am.machine.Scenario.only;
import static io.tony.am.machine.Scenario.requested;
import static io.tony.am.machine.Scenario.restarted;
import static io.tony.am.machine.Scenario.stopped;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Action.RequestCheckpoint;
import io.tony.event.CheckpointFact;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.ProgramSignal;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.Test;

/** What the machine makes of YARN's announcement that it takes containers. */
public class PreemptionTest {
  private static final Duration COUNTS = Duration.ofSeconds(60);

  private static SampleJob workers(int count) {
    return job().workers(count).retries(1, 1, 1);
  }

  private static List<String> told(List<Action> actions) {
    return only(RequestCheckpoint.class, actions).stream()
        .map(ask -> ask.key().task().toString())
        .toList();
  }

  private static List<Action> announce(Scenario job, String... tasks) {
    List<TaskKey> keys = Stream.of(tasks).map(job::key).toList();
    return job.happens(new Event.PreemptionNotice(job.now(), keys));
  }

  private static List<Action> told(Scenario job, CheckpointFact.CheckpointSaved fact) {
    return job.happens(new Event.CheckpointReported(job.now(), fact));
  }

  /** A checkpoint that was named after the announcement, of so many tasks. */
  private static List<Action> kept(Scenario job, String task, long step, int tasks) {
    return told(
        job, CheckpointTrackerTest.kept(task, job.state().session(), step, tasks, job.now()));
  }

  @Test
  public void shouldTellTheWholeGangAndNoSidecar() {
    Scenario job =
        Scenario.running(
            workers(3).role("board", 1, Supervision.SIDECAR).role("ps", 1, Supervision.UNTRACKED));

    List<Action> actions = announce(job, "worker:1", "board:0");

    assertEquals(List.of("worker:0", "worker:1", "worker:2", "ps:0"), told(actions));
    assertEquals(
        List.of("worker:1"), job.lastFacts().stream().map(fact -> fact.task().toString()).toList());
    assertEquals(JobEvent.Type.PREEMPTION_ANNOUNCED, job.lastFacts().get(0).type());
  }

  @Test
  public void shouldRecordOnceWhatIsAnnouncedTwice() {
    Scenario job = Scenario.running(workers(2));
    announce(job, "worker:1");

    job.pass(COUNTS.minusMillis(1));
    assertEquals(List.of(), announce(job, "worker:1"));
    job.pass(Duration.ofMillis(1));
    assertEquals("YARN had changed its mind", 2, told(announce(job, "worker:1")).size());

    assertEquals(2, job.facts(JobEvent.Type.PREEMPTION_ANNOUNCED).size());
  }

  /** YARN says it once. */
  @Test
  public void shouldTellProgramsThatStartAfterTheAnnouncement() {
    Scenario job = Scenario.allocated(workers(2));

    assertEquals(List.of(), announce(job, "worker:0"));
    assertEquals(1, job.lastFacts().size());
    job.register("worker:0");
    List<Action> started = job.register("worker:1");

    assertEquals(List.of("worker:0", "worker:1"), told(started));
    kept(job, "worker:0", 120, 1);
    assertEquals(Phase.ALLOCATING, job.phase());
  }

  @Test
  public void shouldTellAProgramThatStartsAloneAfterTheAnnouncement() {
    Scenario alone = Scenario.running(workers(2).each(3));
    alone.exit("worker:1", 1);
    assertEquals(List.of(), told(announce(alone, "worker:1")));
    assertEquals(List.of("worker:1"), told(alone.register("worker:1")));

    Scenario member = Scenario.running(workers(3).least(2).joining());
    member.containerEnds("worker:1", FailureKind.LOST, "its node is lost");
    member.allocate("worker");
    assertEquals(List.of("worker:0", "worker:2"), told(announce(member, "worker:1")));
    assertTrue(told(member.register("worker:1")).contains("worker:1"));
    assertEquals(List.of("worker:1"), stopped(kept(member, "worker:0", 120, 1)));
  }

  /** Of a program that was asked before, and did not answer in time. */
  @Test
  public void shouldNotTakeALateAnswerForThatToALaterQuestion() {
    Scenario job = Scenario.running(workers(2));
    Instant first = job.now();
    announce(job, "worker:1");
    job.pass(COUNTS);
    announce(job, "worker:1");

    told(job, CheckpointTrackerTest.kept("worker:0", 0, 120, 1, first));
    assertEquals(Phase.RUNNING, job.phase());
    told(job, CheckpointTrackerTest.kept("worker:0", 0, 121, 1, job.now()));
    assertEquals(Phase.ALLOCATING, job.phase());
  }

  @Test
  public void shouldGiveTheContainersBackOnceACheckpointIsKept() {
    Scenario job = Scenario.running(workers(3));
    announce(job, "worker:1", "worker:2");
    TaskKey going = job.key("worker:1");

    List<Action> actions = kept(job, "worker:0", 120, 1);

    assertEquals(List.of("worker:0"), restarted(actions));
    assertEquals(List.of("worker:1", "worker:2"), stopped(actions));
    assertEquals("they may copy what is left", List.of(), containersStopped(actions));
    assertEquals(List.of("worker 2"), requested(actions));
    assertEquals(Phase.ALLOCATING, job.phase());
    JobEvent restart = job.facts(JobEvent.Type.GANG_RESTARTED).get(0);
    assertEquals("PREEMPTED", restart.detail("kind"));
    assertEquals("nobody", restart.detail("charged"));
    assertEquals("1", restart.detail("kept"));
    assertEquals(
        "YARN is going to take the container of worker:1 and of 1 other: it is given back, now that"
            + " the checkpoint of step 120 is kept",
        restart.detail("message"));
    assertEquals(new RetryBudget(1, 1, 1), job.state().budget());

    job.happens(new Event.ContainerEnded(job.now(), going, FailureKind.LOST, "it ended"));
    assertEquals("nobody misses it", List.of(), job.lastFacts());
    job.allocateAll();
    job.registerAll();
    assertEquals(Phase.RUNNING, job.phase());
  }

  /** A program that is asked just after it has saved names the same once more. */
  @Test
  public void shouldTakeACheckpointThatIsKeptAlreadyForAnAnswer() {
    Scenario job = Scenario.running(workers(2));
    kept(job, "worker:0", 120, 1);
    announce(job, "worker:1");
    told(job, CheckpointTrackerTest.kept("worker:0", 0, 120, 1, null));
    assertEquals("nobody has asked for this one", Phase.RUNNING, job.phase());

    kept(job, "worker:0", 120, 1);

    assertEquals(Phase.ALLOCATING, job.phase());
    assertEquals(1, job.facts(JobEvent.Type.TASK_CHECKPOINT).size());
  }

  @Test
  public void shouldWaitForTheWholeSet() {
    Scenario job = Scenario.running(workers(2));
    announce(job, "worker:1");

    kept(job, "worker:0", 120, 2);
    assertEquals(Phase.RUNNING, job.phase());
    kept(job, "worker:1", 120, 2);

    assertEquals(Phase.ALLOCATING, job.phase());
  }

  @Test
  public void shouldTrainOnWithoutACheckpointThatAnswersTheAnnouncement() {
    Scenario job = Scenario.running(workers(2));
    announce(job, "worker:1");

    told(job, CheckpointTrackerTest.kept("worker:0", 0, 120, 1, null));
    assertEquals("it was named before", Phase.RUNNING, job.phase());
    job.pass(COUNTS);
    kept(job, "worker:0", 121, 1);

    assertEquals("YARN has changed its mind", Phase.RUNNING, job.phase());
  }

  @Test
  public void shouldChargeWhatYarnTakesBeforeThat() {
    Scenario job = Scenario.running(workers(2));
    announce(job, "worker:1");

    job.containerEnds("worker:1", FailureKind.PREEMPTED, "YARN preempted the container");

    assertEquals("job", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).detail("charged"));
    assertEquals(new RetryBudget(1, 1, 0), job.state().budget());
    assertEquals(
        List.of(),
        kept(job, "worker:0", 120, 1).stream()
            .filter(Action.RestartTask.class::isInstance)
            .toList());
  }

  /** Whatever starts the gang again meanwhile: YARN takes the container all the same. */
  @Test
  public void shouldNotStartAgainInAContainerThatYarnTakes() {
    Scenario job = Scenario.running(workers(3));
    announce(job, "worker:1", "worker:2");

    List<Action> actions = job.exit("worker:2", 1);

    assertEquals(List.of("worker:0"), restarted(actions));
    assertEquals(List.of("worker:1", "worker:2"), stopped(actions));
    assertEquals(List.of("worker 2"), requested(actions));
    assertEquals("1", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).detail("kept"));
    assertEquals("PROGRAM", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).detail("kind"));
  }

  @Test
  public void shouldMoveATaskAloneThatStartsAgainAlone() {
    Scenario job = Scenario.running(workers(2).each(3));

    assertEquals(List.of("worker:1"), told(announce(job, "worker:1")));
    List<Action> others = kept(job, "worker:0", 120, 2);
    assertEquals(List.of(), stopped(others));
    List<Action> actions = kept(job, "worker:1", 120, 2);

    assertEquals(List.of("worker:1"), stopped(actions));
    assertEquals(List.of("worker 1"), requested(actions));
    assertEquals(List.of(), restarted(actions));
    JobEvent restart = job.facts(JobEvent.Type.TASK_RESTARTED).get(0);
    assertEquals("nobody", restart.detail("charged"));
    assertEquals("3", restart.detail("left"));
    assertEquals("new", restart.detail("where"));
    assertEquals(Phase.RUNNING, job.phase());
  }

  /** It could start again by itself, but does so with the gang when that starts again. */
  @Test
  public void shouldAskTheTaskThatKeepsTheCheckpointsThoughItsRoleHasRetries() {
    SampleJob sample =
        job().role("chief", 1, Supervision.TRACKED).each(3).workers(2).retries(1, 1, 1);
    Scenario job = Scenario.running(sample);

    assertEquals(List.of("chief:0", "worker:0", "worker:1"), told(announce(job, "worker:1")));
    assertEquals(List.of("worker:1"), stopped(kept(job, "chief:0", 120, 1)));
    assertEquals("nobody", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).detail("charged"));

    Scenario both = Scenario.running(sample);
    assertEquals(List.of("chief:0"), told(announce(both, "chief:0")));
    announce(both, "worker:1");
    assertEquals(List.of("chief:0", "worker:1"), stopped(kept(both, "chief:0", 120, 1)));
    assertEquals(List.of(), both.facts(JobEvent.Type.TASK_RESTARTED));
  }

  @Test
  public void shouldTellAgainUnderTheNextMaster() {
    Scenario job = Scenario.running(workers(2));
    announce(job, "worker:1");
    List<RequestCheckpoint> first = job.all(RequestCheckpoint.class);

    List<Action> actions = job.nextMaster("worker:0", "worker:1");

    assertEquals(
        "the same: who knows it is not told twice", first, only(RequestCheckpoint.class, actions));
    kept(job, "worker:0", 120, 1);
    assertEquals(Phase.ALLOCATING, job.phase());
  }

  @Test
  public void shouldNotBlameAProgramThatEndsUponTheSignal() {
    Scenario job = Scenario.running(workers(2).askSignal(ProgramSignal.TERM));
    announce(job, "worker:1");

    exitsByItself(job, "worker:0");

    JobEvent failure = job.facts(JobEvent.Type.TASK_FAILED).get(0);
    assertEquals("PREEMPTED", failure.detail("kind"));
    assertTrue(
        failure.toString(),
        failure
            .detail("message")
            .endsWith("exited with code 1, after it was asked for a checkpoint by a signal"));
    assertEquals(new RetryBudget(1, 1, 0), job.state().budget());
  }

  /** That it was asked is known to the next ApplicationMaster, too. */
  @Test
  public void shouldNotBlameAProgramThatEndsUponTheSignalOfAGrowth() {
    for (boolean takeover : List.of(true, false)) {
      Scenario job =
          Scenario.running(
              job().workers(3).least(1).retries(0, 1, 1).askSignal(ProgramSignal.USR1));
      job.containerEnds("worker:2", FailureKind.PREEMPTED, "taken");
      job.fires(Timer.ELASTIC);
      job.registerAll();
      job.fires(Timer.GROWTH);
      job.allocate("worker");
      assertEquals(1, job.facts(JobEvent.Type.GANG_GROWS).size());
      if (takeover) {
        job.nextMaster("worker:0", "worker:1");
      }
      job.pass(COUNTS.minusMillis(1));

      exitsByItself(job, "worker:1");

      assertEquals("PREEMPTED", job.facts(JobEvent.Type.GANG_RESTARTED).get(1).detail("kind"));
      job.allocateAll();
      job.registerAll();
      exitsByItself(job, "worker:1"); // another program, that was not asked
      assertEquals(FailureKind.PROGRAM, job.state().result().kind());
    }
  }

  @Test
  public void shouldBlameAProgramThatWasSentNoSignal() {
    Scenario job = Scenario.running(workers(2));
    announce(job, "worker:1");

    exitsByItself(job, "worker:0");

    assertEquals(new RetryBudget(0, 1, 1), job.state().budget());
  }

  private static void exitsByItself(Scenario job, String task) {
    job.exit(
        job.key(task),
        new Event.Exit(1, "", Map.of(), "", false, false, "", "", null, job.now(), true));
  }

  /** The launcher finds it gone as well, and knows no reason. */
  @Test
  public void shouldCountAContainerThatIsTakenBeforeItsLaunchAsYarnSays() {
    Scenario job = Scenario.allocated(workers(2));
    TaskKey taken = job.key("worker:1");

    job.happens(
        new Event.UnusedContainerEnded(
            job.now(), taken.container(), FailureKind.PREEMPTED, "YARN preempted the container"));
    job.happens(new Event.ContainerEnded(job.now(), taken, FailureKind.LOST, "it is gone"));

    assertEquals(new RetryBudget(1, 1, 0), job.state().budget());
    assertEquals(1, job.facts(JobEvent.Type.TASK_FAILED).size());
    assertEquals(List.of(), job.facts(JobEvent.Type.NODE_AVOIDED));
    assertEquals(TaskState.REQUESTED, job.stateOf("worker:1"));
  }

  @Test
  public void shouldHaveYarnEndWhatIsNotHeardOfAnyMore() {
    Scenario job = Scenario.running(workers(2));
    announce(job, "worker:1");
    TaskKey going = job.key("worker:1");
    kept(job, "worker:0", 120, 1);

    List<Action> actions = job.happens(new Event.HeartbeatTimedOut(job.now(), going));

    assertEquals(List.of("worker:1"), containersStopped(actions));
    assertEquals(List.of(), job.lastFacts());
  }

  @Test
  public void shouldSayHowManyRetriesAreLeftToATaskThatIsMoved() {
    Scenario job = Scenario.running(workers(2).each(3));
    job.exit("worker:1", 1);
    job.register("worker:1");
    announce(job, "worker:1");

    kept(job, "worker:1", 120, 2);

    JobEvent moved = job.facts(JobEvent.Type.TASK_RESTARTED).get(1);
    assertEquals("PREEMPTED", moved.detail("kind"));
    assertEquals("2", moved.detail("left"));
  }

  @Test
  public void shouldBoundTheWaitForTheContainerOfATaskThatIsMoved() {
    Scenario job = Scenario.running(workers(2).each(3).hold(COUNTS));
    announce(job, "worker:1");

    kept(job, "worker:1", 120, 2);

    assertEquals(Set.of(Timer.PARTIAL_ALLOCATION, Timer.NOTICE), job.timers());
  }

  /** What is kept after the first of them may not be what the second asks for. */
  @Test
  public void shouldAskAllForACheckpointThatIsLaterThanTheLastAnnouncement() {
    for (List<String> order :
        List.of(List.of("worker:0", "worker:1"), List.of("worker:1", "worker:0"))) {
      Scenario job = Scenario.allocated(workers(2));
      announce(job, order.get(0));
      job.pass(Duration.ofSeconds(10));
      announce(job, order.get(1));
      Instant last = job.now();
      job.register("worker:0");

      List<Action> started = job.register("worker:1");

      assertEquals(
          List.of(last, last),
          only(RequestCheckpoint.class, started).stream()
              .map(RequestCheckpoint::requestedAt)
              .toList());
    }
  }

  /** Where a task starts again by itself, it alone is asked. */
  @Test
  public void shouldBlameAProgramBesideTheOneThatWasAskedAlone() {
    Scenario job = Scenario.running(workers(2).each(3).askSignal(ProgramSignal.TERM));
    announce(job, "worker:1");

    exitsByItself(job, "worker:0");
    exitsByItself(job, "worker:1");

    assertEquals(
        List.of("worker:0 PROGRAM", "worker:1 PREEMPTED"),
        job.facts(JobEvent.Type.TASK_FAILED).stream()
            .map(fact -> fact.task() + " " + fact.detail("kind"))
            .toList());
  }
}
