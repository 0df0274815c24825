package io.tony.am.machine;

import static io.tony.am.machine.Scenario.containersStopped;
import static io.tony.am.machine.Scenario.restarted;
import static io.tony.am.machine.Scenario.stopped;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.failure.FailureSignature;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** When another start is not made though there is budget for it. */
public class RepeatedFailuresTest {
  private static final String BAD = "Traceback:\nValueError: bad record 7";

  private static SampleJob tries(int count) {
    return job().workers(2).retries(count, count, count).stopsFutileRetries();
  }

  /** The program of the task ends so, after it has told such progress. */
  private static List<Action> fails(Scenario job, String task, int code, String err, String at) {
    return job.exit(job.key(task), new Event.Exit(code, err, Map.of(), "", false, false, "", at));
  }

  private static void goesOn(Scenario job, List<Action> actions) {
    assertFalse(job.phase().toString(), restarted(actions).isEmpty());
    job.allocateAll();
    job.registerAll();
    assertEquals(Phase.RUNNING, job.phase());
  }

  private static JobResult ends(Scenario job) {
    assertEquals(Phase.STOPPING, job.phase());
    job.exit("worker:0", 143);
    job.exit("worker:1", 143);
    return job.result();
  }

  @Test
  public void shouldEndWithTheSecondFailureOfTheSameKindAtTheSameStep() {
    Scenario job = Scenario.running(tries(5));
    goesOn(job, fails(job, "worker:0", 1, BAD, "step 12/100 loss 0.5"));

    fails(job, "worker:0", 1, BAD.replace("7", "12"), "step 12/100 loss 0.4");

    JobResult result = ends(job);
    assertEquals(
        "worker:0 exited with code 1 (ValueError); it failed so twice in a row, both times at"
            + " 12/100. Another start would end the same way: 4 retries are left unspent. Change"
            + " the program or its data; tony.gang.stop-repeated-failures=false spends all retries",
        result.message());
    assertEquals(FailureKind.PROGRAM, result.kind());
    assertEquals(new TaskId("worker", 0), result.task());
    assertEquals(Integer.valueOf(1), result.exitCode());
    assertTrue(result.futile());
  }

  @Test
  public void shouldTakeNoProgressForTheSameStep() {
    Scenario job = Scenario.running(tries(2));
    goesOn(job, fails(job, "worker:1", 1, "", ""));

    fails(job, "worker:1", 1, "", "");

    String message = ends(job).message();
    assertTrue(message, message.contains("twice in a row, without any progress."));
    assertTrue(message, message.contains(" 1 retry is left unspent"));
  }

  /** It may have gone on from a checkpoint of its own, and have come further. */
  @Test
  public void shouldNotJudgeAProgramThatRanForLongAndToldNothing() {
    Scenario job = Scenario.running(tries(5));
    for (int times = 0; times < 3; times++) {
      job.started("worker:0");
      job.pass(FailureSignature.MAX_EARLY_RUN_TIME);
      goesOn(job, fails(job, "worker:0", 1, BAD, ""));
    }
    job.started("worker:0");
    goesOn(job, fails(job, "worker:0", 1, BAD, ""));
    job.started("worker:0");
    job.pass(FailureSignature.MAX_EARLY_RUN_TIME.minusMillis(1));

    fails(job, "worker:0", 1, BAD, "");

    assertTrue(ends(job).futile());
  }

  @Test
  public void shouldNotTakeTheProgressOfAnEarlierAttemptForThisOnes() {
    Scenario job = Scenario.running(tries(2));
    goesOn(job, fails(job, "worker:0", 1, BAD, "step 12/100"));

    goesOn(job, fails(job, "worker:0", 1, BAD, "")); // it did not even come so far
  }

  @Test
  public void shouldSpendAllRetriesWhereStepsGrow() {
    Scenario job = Scenario.running(tries(3));
    for (int step = 1; step <= 3; step++) {
      goesOn(job, fails(job, "worker:0", 1, BAD, step + "/100"));
    }

    fails(job, "worker:0", 1, BAD, "4/100");

    JobResult result = ends(job);
    assertEquals("worker:0 exited with code 1", result.message());
    assertFalse(result.futile());
  }

  @Test
  public void shouldGoOnWhereTheFailureIsAnother() {
    Scenario job = Scenario.running(tries(5));
    goesOn(job, fails(job, "worker:0", 1, BAD, ""));
    goesOn(job, fails(job, "worker:0", 2, BAD, ""));
    goesOn(job, fails(job, "worker:0", 2, "KeyError: 7", ""));
    goesOn(job, fails(job, "worker:1", 2, "KeyError: 7", ""));
    goesOn(job, fails(job, "worker:0", 2, "KeyError: 7", ""));
  }

  @Test
  public void shouldNotCountWhatAnotherStartMayMend() {
    Scenario job = Scenario.running(tries(6));
    for (int i = 0; i < 2; i++) {
      goesOn(job, job.containerEnds("worker:0", FailureKind.LOST, "its node was lost"));
      goesOn(job, job.containerEnds("worker:0", FailureKind.PREEMPTED, "preempted"));
    }
    for (int i = 0; i < 2; i++) {
      // Ended by somebody, as by a kernel without memory.
      goesOn(job, fails(job, "worker:0", 137, "", ""));
    }
    for (int i = 0; i < 2; i++) {
      Event.Exit taken = new Event.Exit(1, BAD, Map.of(), "", false, true);
      goesOn(job, job.exit(job.key("worker:0"), taken));
    }
    for (int i = 0; i < 2; i++) {
      Event.Exit hangs = new Event.Exit(143, "", Map.of(), "hangs", false, false);
      goesOn(job, job.exit(job.key("worker:0"), hangs));
    }
  }

  @Test
  public void shouldCountAnewAfterALossInBetween() {
    Scenario job = Scenario.running(tries(5));
    goesOn(job, fails(job, "worker:0", 1, BAD, ""));
    goesOn(job, job.containerEnds("worker:1", FailureKind.LOST, "its node was lost"));
    goesOn(job, fails(job, "worker:0", 1, BAD, ""));

    fails(job, "worker:0", 1, BAD, "");

    assertTrue(ends(job).futile());
  }

  /** The program fails because of it, and is reported first. */
  @Test
  public void shouldCountAnewAfterALossThatIsToldLater() {
    Scenario job = Scenario.running(tries(5));
    for (int times = 0; times < 3; times++) {
      goesOn(job, fails(job, "worker:0", 1, BAD, ""));
      goesOn(job, job.containerEnds("worker:1", FailureKind.LOST, "its node was lost"));
      job.allocateAll();
      job.registerAll();
    }
  }

  @Test
  public void shouldNotCountWhatAnotherTasksEndDidToIt() {
    Scenario job = Scenario.running(tries(5));
    for (int times = 0; times < 3; times++) {
      goesOn(job, fails(job, "worker:0", 1, "RuntimeError: Connection closed by peer", ""));
    }
  }

  @Test
  public void shouldCountOnUnderTheNextApplicationMaster() {
    Scenario job = Scenario.running(tries(5));
    goesOn(job, fails(job, "worker:0", 1, BAD, "3/4"));
    job.nextMaster("worker:0", "worker:1");

    fails(job, "worker:0", 1, BAD, "3/4");

    assertTrue(ends(job).futile());
  }

  /** Its executor tells the next ApplicationMaster, too, that it runs. */
  @Test
  public void shouldTakeNoProgramForANewOneUnderTheNextApplicationMaster() {
    Scenario job = Scenario.running(tries(5));
    goesOn(job, fails(job, "worker:1", 1, BAD, ""));
    job.started("worker:0");
    job.started("worker:1");
    job.pass(FailureSignature.MAX_EARLY_RUN_TIME);
    job.nextMaster("worker:0", "worker:1");
    job.register("worker:1");
    job.started("worker:1");
    job.pass(FailureSignature.MAX_EARLY_RUN_TIME.minusMillis(1));

    goesOn(job, fails(job, "worker:1", 1, BAD, ""));
    assertEquals(2, job.facts(JobEvent.Type.TASK_STARTED).size());

    // Another program, which is told of once more.
    job.started("worker:1");
    goesOn(job, fails(job, "worker:1", 1, BAD, ""));
    assertEquals(3, job.facts(JobEvent.Type.TASK_STARTED).size());
  }

  @Test
  public void shouldEndTheRetriesOfATaskThatIsStartedAgainAlone() {
    Scenario job = Scenario.running(job().workers(2).each(5).retries(2, 0).stopsFutileRetries());
    job.progress("worker:0", "1/9");
    goesOn(job, fails(job, "worker:1", 1, BAD, "epoch 2/3"));
    job.pass(ProgramReports.PROGRESS_INTERVAL);
    job.progress("worker:0", "2/9"); // that is no progress of the other

    fails(job, "worker:1", 1, BAD, "epoch 2/3");

    String message = ends(job).message();
    assertTrue(message, message.contains("both times at 2/3 (worker:1)."));
    assertTrue(message, message.contains(" 6 retries are left unspent"));
  }

  @Test
  public void shouldGoOnWithoutATaskThatFailsInVainWhereTheJobCanDoWithoutIt() {
    Scenario job =
        Scenario.running(
            job()
                .workers(1)
                .role("tensorboard", 1, Supervision.SIDECAR)
                .each(5)
                .stopsFutileRetries());
    goesOn(job, fails(job, "tensorboard:0", 1, BAD, ""));

    List<Action> actions = fails(job, "tensorboard:0", 1, BAD, "");

    assertEquals(List.of("tensorboard:0"), stopped(actions));
    assertEquals(List.of(), containersStopped(actions));
    assertEquals(Phase.RUNNING, job.phase());
  }

  @Test
  public void shouldSayWhenNoRetryWasLeftAnyway() {
    Scenario job = Scenario.running(tries(1));
    goesOn(job, fails(job, "worker:0", 1, BAD, ""));

    fails(job, "worker:0", 1, BAD, "");

    JobResult result = ends(job);
    assertTrue(result.message(), result.message().contains("no retry was left"));
    assertTrue(result.futile());
  }

  @Test
  public void shouldSpendAllRetriesWhereThatIsWanted() {
    Scenario job = Scenario.running(job().workers(2).retries(3, 0));
    for (int i = 0; i < 3; i++) {
      goesOn(job, fails(job, "worker:0", 1, BAD, ""));
    }
    fails(job, "worker:0", 1, BAD, "");

    assertFalse(ends(job).futile());
  }
}
