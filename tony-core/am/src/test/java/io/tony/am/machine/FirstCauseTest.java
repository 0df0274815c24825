package io.tony.am.machine;

import static io.tony.model.SampleJob.job;
import static io.tony.model.Supervision.SIDECAR;
import static io.tony.model.Supervision.TRACKED;
import static io.tony.model.Supervision.UNTRACKED;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.tony.event.RootCause;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.SampleJob;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.Test;

public class FirstCauseTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final String CLOSED = "RuntimeError: Connection closed by peer [10.0.0.1]:4711";
  private static final TaskId WORKER_0 = new TaskId("worker", 0);
  private static final TaskId WORKER_1 = new TaskId("worker", 1);

  private static SampleJob gang(int userRetries) {
    return job().workers(4).retries(userRetries, 2);
  }

  private static Event.Exit exit(int code, String stderr, Instant ended, boolean byItself) {
    return new Event.Exit(code, stderr, Map.of(), "", false, false, "", "", null, ended, byItself);
  }

  private static List<Action> resets(Scenario job, TaskKey key) {
    return job.exit(key, exit(1, CLOSED, NOON, true));
  }

  private static List<RootCause> causes(Scenario job) {
    return job.facts(JobEvent.Type.FIRST_CAUSE).stream().map(RootCause::of).toList();
  }

  private static RootCause last(Scenario job) {
    List<RootCause> all = causes(job);
    return all.get(all.size() - 1);
  }

  @Test
  public void shouldNameTheFirstCauseThoughItsReportComesAfterTheGangWasStartedAgain() {
    Scenario job = Scenario.running(gang(1));
    TaskKey first = job.key("worker:0");
    TaskKey third = job.key("worker:2");

    resets(job, job.key("worker:1"));
    assertEquals(1, job.state().session());
    job.exit(first, exit(139, "", NOON, true));

    RootCause told = last(job);
    assertEquals(WORKER_0, told.failure().task());
    assertEquals("worker:0 was ended by signal 11 (exit code 139)", told.failure().message());
    assertEquals(0, told.session());
    assertEquals(
        new RootCause.SecondaryFailures(WORKER_1, 0, "connection closed by peer", 0),
        told.secondaryFailures());
    assertEquals(new RetryBudget(0, 2, 0), job.state().budget());

    resets(job, third);
    assertEquals(1, causes(job).size());
    job.registerAll();
    assertEquals(1, last(job).secondaryFailures().moreCount());
    assertEquals(2, causes(job).size());
  }

  @Test
  public void shouldSayWhatFollowedAFirstCauseThatWasReportedFirst() {
    Scenario job = Scenario.running(gang(1));
    TaskKey second = job.key("worker:1");

    job.exit(job.key("worker:0"), exit(3, "ValueError: nan", NOON, true));
    resets(job, second);
    resets(job, second);
    assertEquals(List.of(), causes(job));
    job.registerAll();

    assertEquals(WORKER_0, last(job).failure().task());
    assertEquals(
        new RootCause.SecondaryFailures(WORKER_1, 0, "connection closed by peer", 0),
        last(job).secondaryFailures());
  }

  @Test
  public void shouldSayNothingOfProgramsThatItEndedItselfOrThatEndedWell() {
    Scenario job = Scenario.running(gang(1));
    TaskKey first = job.key("worker:0");
    TaskKey third = job.key("worker:2");

    resets(job, job.key("worker:1"));
    job.exit(first, exit(143, "Terminated", NOON, false));
    job.exit(third, exit(0, "", NOON, true));
    job.registerAll();

    assertEquals(List.of(), causes(job));
  }

  @Test
  public void shouldNameTheOneThatEndedClearlyEarlierWhereTheirWordsTellNothing() {
    Scenario job = Scenario.running(gang(1));
    TaskKey first = job.key("worker:0");
    TaskKey third = job.key("worker:2");

    job.exit(job.key("worker:1"), exit(1, "KeyError", NOON, true));
    job.exit(third, exit(1, "KeyError", NOON.minusMillis(900), true));
    assertEquals(List.of(), causes(job));
    job.exit(first, exit(1, "KeyError", NOON.minusMillis(1_100), true));

    assertEquals(WORKER_0, last(job).failure().task());
    assertEquals(new RootCause.SecondaryFailures(null, 0, "", 2), last(job).secondaryFailures());
  }

  @Test
  public void shouldEndWithTheFirstCauseAsItsResult() {
    Scenario job = Scenario.running(gang(0));
    TaskKey first = job.key("worker:0");

    resets(job, job.key("worker:1"));
    job.exit(first, exit(139, "", NOON, true));
    assertEquals(Phase.STOPPING, job.phase());
    for (int index = 2; index < 4; index++) {
      resets(job, job.key("worker:" + index));
    }

    assertEquals(Phase.FINISHED, job.phase());
    JobResult result = job.result();
    assertEquals(WORKER_0, result.task());
    assertEquals(Integer.valueOf(139), result.exitCode());
    assertEquals("worker:0 was ended by signal 11 (exit code 139)", result.message());
    assertEquals(
        new RootCause.SecondaryFailures(WORKER_1, 2, "connection closed by peer", 0),
        last(job).secondaryFailures());
  }

  @Test
  public void shouldNotTakeAStopByAUserForAFailure() {
    Scenario job = Scenario.running(gang(0));
    TaskKey first = job.key("worker:0");

    job.stopBy("ada");
    job.exit(first, exit(139, "", NOON, true));

    assertEquals(List.of(), causes(job));
    assertNull(job.state().result().task());
  }

  @Test
  public void shouldGiveAChargeBackWhenANodeWasTheCause() {
    Scenario job = Scenario.running(gang(1));

    resets(job, job.key("worker:1"));
    assertEquals(new RetryBudget(0, 2, 0), job.state().budget());
    job.containerEnds("worker:0", FailureKind.LOST, "gone");

    assertEquals(new RootCause.Refund(FailureKind.PROGRAM, 1), last(job).refund());
    assertEquals(new RetryBudget(1, 1, 0), job.state().budget());
    assertEquals(FailureKind.LOST, last(job).failure().kind());

    job.containerEnds("worker:2", FailureKind.LOST, "gone");
    assertEquals("the same node", new RetryBudget(1, 1, 0), job.state().budget());
    assertEquals(1, causes(job).size());
  }

  /** The node dies with the ApplicationMaster on it: the programs had noticed it before. */
  @Test
  public void shouldGiveAChargeBackWhenTheNodeIsMissedOnlyUnderTheNextMaster() {
    for (int losses : List.of(0, 2)) {
      Scenario job = Scenario.running(job().workers(4).retries(1, losses));
      resets(job, job.key("worker:1"));
      String lost = job.key("worker:0").container();

      job.nextMaster(
          Set.of(job.key("worker:1").container(), job.key("worker:2").container()),
          Map.of(lost, new Event.ContainerEnd(FailureKind.LOST, "its node is gone")));

      assertEquals(1, causes(job).size());
      assertEquals(WORKER_0, last(job).failure().task());
      assertEquals(new RootCause.Refund(FailureKind.PROGRAM, 1), last(job).refund());
      assertEquals(new RetryBudget(1, losses, 0), job.state().budget());
      assertEquals(Phase.ALLOCATING, job.phase());
    }
  }

  /** YARN took it with the lost master, when the programs had failed. */
  @Test
  public void shouldGiveNoChargeBackForWhatYarnTookWithTheMaster() {
    Scenario job = Scenario.running(gang(1));
    resets(job, job.key("worker:1"));
    TaskKey taken = job.key("worker:0");

    job.nextMaster(
        Set.of(
            job.key("worker:1").container(),
            job.key("worker:2").container(),
            job.key("worker:3").container()),
        Map.of(taken.container(), new Event.ContainerEnd(FailureKind.AM_LOST, "taken")));

    assertEquals(List.of(), causes(job));
    assertEquals(new RetryBudget(0, 2, 0), job.state().budget());
  }

  @Test
  public void shouldGiveAChargeBackWhereAnElasticGangCanDoWithoutTheNode() {
    Scenario job = Scenario.running(gang(1).least(2));

    resets(job, job.key("worker:1"));
    job.containerEnds("worker:0", FailureKind.LOST, "gone");

    assertEquals(new RootCause.Refund(FailureKind.PROGRAM, 1), last(job).refund());
    assertEquals("nobody pays", new RetryBudget(1, 2, 0), job.state().budget());
    job.containerEnds("worker:2", FailureKind.LOST, "gone");
    assertEquals(new RetryBudget(1, 2, 0), job.state().budget());
    assertEquals(1, causes(job).size());
  }

  @Test
  public void shouldChargeAFailureOfMemoryOnce() {
    Scenario job = Scenario.running(gang(1));

    resets(job, job.key("worker:1"));
    job.containerEnds("worker:0", FailureKind.MEMORY, "gone");

    assertEquals(Phase.ALLOCATING, job.phase());
    assertEquals(new RetryBudget(0, 2, 0), job.state().budget());
  }

  @Test
  public void shouldGiveNothingBackForALossThatCameAfterwards() {
    Scenario job = Scenario.running(gang(1));

    job.exit(job.key("worker:1"), exit(1, "KeyError", NOON, true));
    job.containerEnds("worker:0", FailureKind.LOST, "gone");
    assertEquals("its failure was its own", new RetryBudget(0, 1, 0), job.state().budget());

    Scenario other = Scenario.running(gang(1));
    resets(other, other.key("worker:1"));
    other.register("worker:0");
    other.containerEnds("worker:0", FailureKind.LOST, "gone");
    assertEquals("it had come up again", new RetryBudget(0, 1, 0), other.state().budget());
    assertEquals(List.of(), causes(other));
  }

  /** No program of the gang depends on it. */
  @Test
  public void shouldTakeNoSidecarForTheFirstCause() {
    Scenario ends = Scenario.running(gang(0).role("tensorboard", 1, SIDECAR));
    TaskKey board = ends.key("tensorboard:0");
    resets(ends, ends.key("worker:1"));
    ends.fires(Timer.CAUSE);
    ends.exit(board, exit(1, "OSError", NOON, true));
    assertEquals(WORKER_1, ends.state().result().task());
    assertEquals(List.of(), causes(ends));

    Scenario again = Scenario.running(gang(1).role("tensorboard", 1, SIDECAR));
    resets(again, again.key("worker:1"));
    again.containerEnds("tensorboard:0", FailureKind.LOST, "gone");
    assertEquals(List.of(), causes(again));
    assertEquals("nothing is given back", 0, again.state().budget().remaining(FailureKind.PROGRAM));

    Scenario waits = Scenario.running(gang(0).role("tensorboard", 1, SIDECAR));
    resets(waits, waits.key("worker:1"));
    waits.containerEnds("tensorboard:0", FailureKind.LOST, "gone");
    assertEquals(0, waits.state().session());
    waits.fires(Timer.CAUSE);
    assertEquals(WORKER_1, waits.state().result().task());
  }

  // ---- Where no retry is left ----

  private static SampleJob withoutRetries() {
    return job().workers(4).retries(0, 2, 2);
  }

  private static List<String> pending(Scenario job) {
    return job.facts(JobEvent.Type.FAILURE_PENDING).stream()
        .map(fact -> fact.task().toString())
        .toList();
  }

  private static long waits(List<Action> actions) {
    return Scenario.only(Action.SetTimer.class, actions).stream()
        .filter(set -> set.timer().equals(Timer.CAUSE))
        .count();
  }

  @Test
  public void shouldStartAgainForALossThatIsReportedAfterTheProgramsThatFollowedFromIt() {
    for (FailureKind kind : List.of(FailureKind.LOST, FailureKind.PREEMPTED)) {
      Scenario job = Scenario.running(withoutRetries());
      assertEquals(1, waits(resets(job, job.key("worker:1"))));
      assertEquals(Phase.RUNNING, job.phase());
      assertEquals("it is not prolonged", 0, waits(resets(job, job.key("worker:2"))));
      resets(job, job.key("worker:2"));
      assertEquals(List.of("worker:1", "worker:2"), pending(job));

      List<Action> again = job.containerEnds("worker:0", kind, "gone");

      assertEquals(List.of("worker:1", "worker:2", "worker:3"), Scenario.restarted(again));
      assertEquals(new RetryBudget(0, 2, 2).withRemaining(kind, 1), job.state().budget());
      assertEquals(1, job.facts(JobEvent.Type.TASK_FAILED).size());
      job.allocateAll();
      job.registerAll();
      assertEquals(Phase.RUNNING, job.phase());
      assertEquals(WORKER_0, last(job).failure().task());
      assertEquals(
          new RootCause.SecondaryFailures(WORKER_1, 1, "connection closed by peer", 0),
          last(job).secondaryFailures());
      assertEquals(List.of(), job.fires(Timer.CAUSE));
    }
  }

  @Test
  public void shouldEndWithTheFailureWhereNoLossIsReportedInTime() {
    Scenario job = Scenario.running(withoutRetries());
    resets(job, job.key("worker:2"));
    resets(job, job.key("worker:1"));

    List<Action> ends = job.fires(Timer.CAUSE);

    assertEquals(List.of("worker:2", "worker:0", "worker:1", "worker:3"), Scenario.stopped(ends));
    assertEquals(new TaskId("worker", 2), job.state().result().task());
    assertEquals("worker:2 exited with code 1", job.state().result().message());
    job.containerEnds("worker:0", FailureKind.PREEMPTED, "gone");
    assertEquals("too late", FailureKind.PREEMPTED, job.state().result().kind());
    job.exit("worker:3", 143);
    assertEquals(WORKER_0, job.result().task());
  }

  @Test
  public void shouldEndWithTheLossWhereItsLimitIsReached() {
    Scenario job = Scenario.running(job().workers(4).retries(0, 0, 0));
    resets(job, job.key("worker:1"));

    job.containerEnds("worker:0", FailureKind.PREEMPTED, "gone");

    assertEquals(FailureKind.PREEMPTED, job.state().result().kind());
    assertEquals(WORKER_0, job.state().result().task());
  }

  @Test
  public void shouldWaitUnderTheNextApplicationMaster() {
    for (boolean lost : List.of(true, false)) {
      Scenario job = Scenario.running(withoutRetries());
      TaskKey second = job.key("worker:1");
      resets(job, second);
      assertEquals(1, waits(job.nextMaster("worker:0", "worker:1", "worker:2", "worker:3")));
      resets(job, second);
      assertEquals(List.of("worker:1"), pending(job));
      if (lost) {
        job.containerEnds("worker:0", FailureKind.PREEMPTED, "gone");
        assertEquals(new RetryBudget(0, 2, 1), job.state().budget());
      } else {
        job.fires(Timer.CAUSE);
        assertEquals(WORKER_1, job.state().result().task());
      }
    }
  }

  @Test
  public void shouldStartAgainForALossThatTheNextApplicationMasterFinds() {
    Scenario job = Scenario.running(withoutRetries());
    resets(job, job.key("worker:1"));

    job.nextMaster(
        Set.of(job.key("worker:1").container(), job.key("worker:2").container()),
        Map.of(
            job.key("worker:0").container(),
            new Event.ContainerEnd(FailureKind.PREEMPTED, "gone")));

    assertEquals(Phase.ALLOCATING, job.phase());
    assertEquals(new RetryBudget(0, 2, 1), job.state().budget());
  }

  @Test
  public void shouldLetAPersonOrTheChiefEndTheJobMeanwhile() {
    Scenario job = Scenario.running(withoutRetries());
    resets(job, job.key("worker:1"));
    job.stopBy("ada");
    assertEquals(JobResult.Status.KILLED, job.state().result().status());
    assertEquals(TaskState.STOPPED, job.stateOf("worker:1"));
    assertEquals(List.of(), job.fires(Timer.CAUSE));

    Scenario other = Scenario.running(withoutRetries().chiefDecides());
    resets(other, other.key("worker:1"));
    other.exit("worker:0", 0);
    assertEquals(JobResult.Status.SUCCEEDED, other.state().result().status());
  }

  @Test
  public void shouldNotWaitWhereNothingCanExplainTheFailure() {
    Scenario alone =
        Scenario.running(job().workers(1).retries(0, 2).role("tensorboard", 1, SIDECAR));
    resets(alone, alone.key("worker:0"));
    assertEquals("nobody else runs", Phase.STOPPING, alone.phase());

    Scenario job = Scenario.running(withoutRetries());
    resets(job, job.key("worker:1"));
    job.exit(job.key("worker:2"), exit(1, "KeyError", NOON, true));
    assertEquals(Phase.STOPPING, job.phase());
    assertEquals(new TaskId("worker", 2), job.state().result().task());
    job.exit("worker:0", 143);
    job.exit("worker:3", 143);
    assertEquals(
        new RootCause.SecondaryFailures(WORKER_1, 0, "connection closed by peer", 0),
        last(job).secondaryFailures());
  }

  @Test
  public void shouldKeepTheContainerThatALostTaskHasGotSince() {
    Scenario job = Scenario.running(job().workers(4).least(2).joining().retries(0, 2, 2));
    job.containerEnds("worker:3", FailureKind.LOST, "gone");
    job.allocate("worker");

    List<Action> again = resets(job, job.key("worker:1"));

    assertEquals(
        List.of("worker:0", "worker:1", "worker:2", "worker:3"), Scenario.restarted(again));
    assertEquals("4", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).detail("kept"));
    assertEquals(Phase.REGISTERING, job.phase());
  }

  @Test
  public void shouldStartAgainWhereTheLostTaskIsOneThatStartsAlone() {
    for (boolean lossFirst : List.of(true, false)) {
      for (SampleJob sample :
          List.of(
              job().workers(4).least(2).joining().retries(0, 2, 2),
              job().workers(3).role("ps", 1, UNTRACKED).each(3).retries(0, 2, 2))) {
        Scenario job = Scenario.running(sample);
        String lost = job.state().tasks().contains(new TaskId("ps", 0)) ? "ps:0" : "worker:3";
        if (lossFirst) {
          job.containerEnds(lost, FailureKind.LOST, "gone");
          resets(job, job.key("worker:1"));
        } else {
          resets(job, job.key("worker:1"));
          job.containerEnds(lost, FailureKind.LOST, "gone");
        }

        assertEquals(lost + " " + lossFirst, 1, job.state().session());
        JobEvent again = job.facts(JobEvent.Type.GANG_RESTARTED).get(0);
        assertEquals(lost, again.task().toString());
        assertEquals("LOST", again.detail("kind"));
        assertEquals("it is paid for", "nobody", again.detail("charged"));
        assertEquals(
            lost.equals("ps:0") ? "role" : "nobody",
            job.facts(JobEvent.Type.TASK_RESTARTED).get(0).detail("charged"));
        assertEquals(new RetryBudget(0, 2, 2), job.state().budget());
      }
    }
  }

  /** Another loss, which nobody was hurt by, was reported since. */
  @Test
  public void shouldStartAgainForALossThatIsNotTheLatest() {
    Scenario job =
        Scenario.running(
            job().workers(3).role("ps", 1, UNTRACKED).each(3).role("tensorboard", 1, SIDECAR));
    job.containerEnds("ps:0", FailureKind.LOST, "gone");
    job.containerEnds("tensorboard:0", FailureKind.LOST, "gone");

    resets(job, job.key("worker:1"));

    assertEquals("ps:0", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).task().toString());
  }

  @Test
  public void shouldNotStartAgainForALossOfATaskThatIsBack() {
    Scenario job =
        Scenario.running(job().workers(3).role("ps", 2, UNTRACKED).each(3).retries(0, 2, 2));
    job.containerEnds("ps:0", FailureKind.LOST, "gone");
    job.allocate("ps");
    job.register("ps:0");

    resets(job, job.key("worker:1"));

    assertEquals(0, job.state().session());
    assertEquals(List.of("worker:1"), pending(job));
  }

  /** Its new node has done nothing. */
  @Test
  public void shouldNotAvoidTheNodeThatALostTaskHasGotSince() {
    Scenario job =
        Scenario.running(job().workers(3).role("ps", 1, UNTRACKED).each(3).retries(0, 2, 2));
    job.cluster(null, 10);
    job.containerEnds("ps:0", FailureKind.LOST, "gone");
    job.allocate("ps");
    int avoided = job.facts(JobEvent.Type.NODE_AVOIDED).size();

    resets(job, job.key("worker:1"));

    assertEquals(1, job.state().session());
    assertEquals(avoided, job.facts(JobEvent.Type.NODE_AVOIDED).size());
  }

  /** Nobody would pay for it. */
  @Test
  public void shouldNotMoveAGangOfWhichAFailureWaitsForItsCause() {
    Scenario job = Scenario.running(withoutRetries());
    job.happens(new Event.PreemptionNotice(job.now(), List.of(job.key("worker:3"))));
    resets(job, job.key("worker:1"));

    job.happens(
        new Event.CheckpointReported(
            job.now(), CheckpointTrackerTest.kept("worker:0", 0, 120, 1, job.now())));

    assertEquals(0, job.state().session());
    job.fires(Timer.CAUSE);
    assertEquals(WORKER_1, job.state().result().task());
  }

  /** Its time is up meanwhile, so that the job goes on without it; not so without the other. */
  @Test
  public void shouldCountTheNextFailureWhereTheFirstIsOfARoleThatTheJobGoesOnWithout() {
    Scenario job =
        Scenario.running(
            job()
                .workers(2)
                .role("prep", 1, TRACKED)
                .role("evaluator", 1, TRACKED)
                .groupTimeout("evaluator", Duration.ofMinutes(10), true, "prep")
                .retries(0, 2));
    job.exit("prep:0", 0);
    resets(job, job.key("evaluator:0"));
    resets(job, job.key("worker:1"));
    job.fires(Timer.group(0));

    job.fires(Timer.CAUSE);

    assertEquals(TaskState.FAILED, job.stateOf("evaluator:0"));
    assertEquals(Phase.STOPPING, job.phase());
    assertEquals(WORKER_1, job.state().result().task());
    assertEquals(List.of(), job.state().gang().gangFailure().pendingFailures());
  }

  /** Its container is lost as well: there is nothing to wait for. */
  @Test
  public void shouldNotLimitAnotherWaitByOneThatIsOver() {
    Scenario job = Scenario.running(withoutRetries());
    resets(job, job.key("worker:1"));

    List<Action> lost = job.containerEnds("worker:1", FailureKind.LOST, "gone");

    assertTrue(lost.contains(new Action.CancelTimer(Timer.CAUSE)));
    assertEquals(1, job.state().session());
    job.allocateAll();
    job.registerAll();
    assertEquals(1, waits(resets(job, job.key("worker:2"))));
  }

  /** One lost node takes thousands of programs down, and each has written a stack. */
  @Test
  public void shouldKeepOfManyPendingFailuresTheDecisiveWordsAlone() {
    int tasks = PendingFailures.MAX_FULL_FAILURES + 3;
    Scenario job = Scenario.running(job().workers(tasks).retries(0, 2, 2));
    String stack = "frame #1: c10d::ncclCommWatchdog()\n".repeat(100) + CLOSED;
    for (int index = 1; index < tasks; index++) {
      job.exit(job.key("worker:" + index), exit(1, stack, NOON, true));
    }

    List<JobEvent> pending = job.facts(JobEvent.Type.FAILURE_PENDING);
    assertEquals(stack, pending.get(PendingFailures.MAX_FULL_FAILURES - 1).detail("stderr"));
    assertEquals(
        "Connection closed by peer",
        pending.get(PendingFailures.MAX_FULL_FAILURES).detail("stderr"));
    job.containerEnds("worker:0", FailureKind.LOST, "gone");
    job.allocateAll();
    job.registerAll();
    assertEquals(
        new RootCause.SecondaryFailures(WORKER_1, tasks - 2, "connection closed by peer", 0),
        last(job).secondaryFailures());
  }

  // ---- What is told, and when ----

  @Test
  public void shouldNameTwoCausesAtOnceAndTheFirstOfAllInTheEnd() {
    Scenario job = Scenario.running(gang(1));
    List<TaskKey> keys = List.of(job.key("worker:2"), job.key("worker:1"), job.key("worker:0"));
    job.exit(job.key("worker:3"), exit(1, "KeyError", NOON, true));
    for (int index = 0; index < keys.size(); index++) {
      Instant ended = NOON.minusSeconds(2L * (index + 1));
      job.exit(keys.get(index), exit(1, "KeyError", ended, true));
      assertEquals(Math.min(2, index + 1), causes(job).size());
    }

    job.registerAll();

    assertEquals(3, causes(job).size());
    assertEquals(WORKER_0, last(job).failure().task());
  }

  /** A report may come late; what it adds is told before another incident takes its place. */
  @Test
  public void shouldSayWhatFollowedBeforeTheGangStartsAgainForAnotherReason() {
    List<Consumer<Scenario>> reasons =
        List.of(
            job -> job.exit("worker:2", 1),
            job -> {
              job.happens(new Event.PreemptionNotice(job.now(), List.of(job.key("worker:2"))));
              keeps(job);
            },
            job -> {
              job.fires(Timer.GROWTH);
              job.allocate("worker");
              keeps(job);
            });
    for (Consumer<Scenario> reason : reasons) {
      Scenario job = Scenario.requested(gang(2).least(2));
      job.allocate("worker", 3);
      job.registerAll();
      job.fires(Timer.ELASTIC);
      TaskKey second = job.key("worker:1");
      job.exit(job.key("worker:0"), exit(3, "ValueError: nan", NOON, true));
      job.registerAll();
      resets(job, second);
      assertEquals(List.of(), causes(job));

      reason.accept(job);

      assertEquals(2, job.state().session());
      assertEquals(1, causes(job).size());
      assertEquals(WORKER_0, last(job).failure().task());
      assertEquals(
          new RootCause.SecondaryFailures(WORKER_1, 0, "connection closed by peer", 0),
          last(job).secondaryFailures());
    }
  }

  /** A person may stop the job before its programs are all there again. */
  @Test
  public void shouldSayWhatFollowedBeforeTheJobIsStopped() {
    Scenario job = Scenario.running(gang(1));
    TaskKey second = job.key("worker:1");
    job.exit(job.key("worker:0"), exit(3, "ValueError: nan", NOON, true));
    resets(job, second);
    assertEquals(List.of(), causes(job));

    job.stopBy("ada");

    assertEquals(1, causes(job).size());
    assertEquals(
        new RootCause.SecondaryFailures(WORKER_1, 0, "connection closed by peer", 0),
        last(job).secondaryFailures());
  }

  private static void keeps(Scenario job) {
    job.happens(
        new Event.CheckpointReported(
            job.now(),
            CheckpointTrackerTest.kept("worker:0", job.state().session(), 120, 1, job.now())));
  }

  // ---- Whose end was heard of ----

  /** It ran until it was told to end, so its node was not why the others had failed. */
  @Test
  public void shouldNotTakeTheContainerOfAProgramThatItEndedForTheCause() {
    Scenario job = Scenario.running(gang(1));
    TaskKey first = job.key("worker:0");
    resets(job, job.key("worker:1"));
    job.exit(first, exit(143, "Terminated", NOON, false));

    job.containerEnds("worker:0", FailureKind.LOST, "gone");

    assertEquals(List.of(), causes(job));
    assertEquals(new RetryBudget(0, 1, 0), job.state().budget());
  }

  @Test
  public void shouldNotCountTheProgramOfALostContainerAmongThoseThatFailed() {
    Scenario job = Scenario.running(gang(1));
    TaskKey first = job.key("worker:0");
    job.exit(job.key("worker:1"), exit(1, "KeyError", NOON, true));
    job.containerEnds("worker:0", FailureKind.LOST, "gone");

    resets(job, first);
    job.allocateAll();
    job.registerAll();

    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(List.of(), causes(job));
  }

  /** YARN is about to take the container in which the program failed because of another. */
  @Test
  public void shouldGiveAChargeBackAlsoWhereTheFailedTaskDoesNotKeepItsContainer() {
    Scenario job = Scenario.running(gang(1));
    job.happens(new Event.PreemptionNotice(job.now(), List.of(job.key("worker:1"))));
    resets(job, job.key("worker:1"));
    assertEquals(new RetryBudget(0, 2, 0), job.state().budget());
    assertEquals(TaskState.REQUESTED, job.stateOf("worker:1"));

    job.containerEnds("worker:0", FailureKind.LOST, "gone");

    assertEquals(new RetryBudget(1, 1, 0), job.state().budget());
  }

  /** YARN knows the container by the name with which it was launched. */
  @Test
  public void shouldTakeTheLossOfAMovedTaskForTheCauseWhileTheJobStops() {
    Scenario job = Scenario.running(gang(0).least(2));
    TaskKey launched = job.key("worker:3");
    job.containerEnds("worker:0", FailureKind.LOST, "gone");
    job.fires(Timer.ELASTIC);
    job.registerAll();
    assertEquals(launched.container(), job.key("worker:0").container());
    resets(job, job.key("worker:1"));
    job.fires(Timer.CAUSE);
    assertEquals(Phase.STOPPING, job.phase());

    job.happens(new Event.ContainerEnded(job.now(), launched, FailureKind.PREEMPTED, "taken"));

    assertEquals(FailureKind.PREEMPTED, job.state().result().kind());
    assertEquals(WORKER_0, job.state().result().task());
  }

  /** They could do without it when it was lost; it has a container again, which counts once. */
  @Test
  public void shouldNotHurryWhereTheOthersCannotDoWithoutTheLostTaskAnyMore() {
    Scenario job =
        Scenario.running(
            job()
                .role("chief", 1, TRACKED)
                .role("worker", 3, UNTRACKED)
                .least(2)
                .joining()
                .retries(0, 2));
    job.containerEnds("worker:1", FailureKind.LOST, "gone");
    job.allocate("worker");
    job.exit("worker:2", 0);

    List<Action> again = resets(job, job.key("chief:0"));

    assertEquals(1, job.state().session());
    assertEquals(
        List.of(job.state().job().limits().elasticity().waitTimeout()),
        Scenario.only(Action.SetTimer.class, again).stream()
            .filter(set -> set.timer().equals(Timer.ELASTIC))
            .map(Action.SetTimer::delay)
            .toList());
  }
}
