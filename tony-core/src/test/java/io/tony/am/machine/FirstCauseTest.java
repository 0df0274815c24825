package io.tony.am.machine;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import io.tony.fact.FirstCause;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.SampleJob;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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

  private static void resets(Scenario job, TaskKey key) {
    job.exit(key, exit(1, CLOSED, NOON, true));
  }

  private static List<FirstCause> causes(Scenario job) {
    return job.facts(JobEvent.Type.FIRST_CAUSE).stream().map(FirstCause::of).toList();
  }

  private static FirstCause last(Scenario job) {
    List<FirstCause> all = causes(job);
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

    FirstCause told = last(job);
    assertEquals(WORKER_0, told.failure().task());
    assertEquals("worker:0 was ended by signal 11 (exit code 139)", told.failure().message());
    assertEquals(0, told.gang());
    assertEquals(new FirstCause.Others(WORKER_1, 0, "connection closed by peer", 0), told.others());
    assertEquals(new RetryBudget(0, 2, 0), job.state().budget());

    resets(job, third);
    assertEquals(1, causes(job).size());
    job.registerAll();
    assertEquals(1, last(job).others().more());
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
        new FirstCause.Others(WORKER_1, 0, "connection closed by peer", 0), last(job).others());
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
    assertEquals(new FirstCause.Others(null, 0, "", 2), last(job).others());
  }

  @Test
  public void shouldEndWithTheFirstCauseAsItsResult() {
    Scenario job = Scenario.running(gang(0));
    TaskKey first = job.key("worker:0");

    resets(job, job.key("worker:1"));
    assertEquals(Phase.STOPPING, job.phase());
    job.exit(first, exit(139, "", NOON, true));
    for (int index = 2; index < 4; index++) {
      resets(job, job.key("worker:" + index));
    }

    assertEquals(Phase.FINISHED, job.phase());
    JobResult result = job.result();
    assertEquals(WORKER_0, result.task());
    assertEquals(Integer.valueOf(139), result.exitCode());
    assertEquals("worker:0 was ended by signal 11 (exit code 139)", result.message());
    assertEquals(
        new FirstCause.Others(WORKER_1, 2, "connection closed by peer", 0), last(job).others());
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

    assertEquals(new FirstCause.Refund(FailureKind.PROGRAM, 1), last(job).refund());
    assertEquals(new RetryBudget(1, 1, 0), job.state().budget());
    assertEquals(FailureKind.LOST, last(job).failure().kind());

    job.containerEnds("worker:2", FailureKind.LOST, "gone");
    assertEquals("the same node", new RetryBudget(1, 1, 0), job.state().budget());
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

  @Test
  public void shouldEndWithTheLossAsItsResultWhereYarnTellsItInTime() {
    Scenario job = Scenario.running(gang(0));

    resets(job, job.key("worker:1"));
    job.containerEnds("worker:0", FailureKind.PREEMPTED, "gone");

    assertEquals(FailureKind.PREEMPTED, job.state().result().kind());
    assertEquals(WORKER_0, job.state().result().task());
  }
}
