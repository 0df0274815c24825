package io.tony.am.machine;

import static io.tony.am.machine.Scenario.requested;
import static io.tony.am.machine.Scenario.restarted;
import static io.tony.am.machine.Scenario.started;
import static io.tony.model.SampleJob.evaluated;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;

import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.List;
import org.junit.Test;

/** What of a job in stages is done again when the gang starts again. */
public class StagesTest {
  private static SampleJob prepared() {
    return job()
        .role("chief", 1, Supervision.TRACKED)
        .role("prep", 2, Supervision.TRACKED)
        .role("train", 2, Supervision.TRACKED)
        .after("prep")
        .retries(2, 2, 2)
        .failOnlyWhenAllFail();
  }

  private static void next(Scenario job) {
    job.allocateAll();
    job.registerAll();
  }

  /** The role that waited for it trains, and would do so beside it. */
  @Test
  public void shouldNotPrepareAgainWhereOneOfThePreparationsFailedAndTheOthersWentOn() {
    Scenario job = Scenario.running(prepared());
    job.exit("prep:0", 0);
    job.exit("prep:1", 1);
    next(job);
    assertEquals(TaskState.RUNNING, job.stateOf("train:0"));

    List<Action> lost = job.containerEnds("train:0", FailureKind.LOST, "its node is lost");

    assertEquals(List.of("train 1"), requested(lost));
    assertEquals(List.of("chief:0", "train:1"), restarted(lost));
    assertEquals(TaskState.FAILED, job.stateOf("prep:1"));
    assertEquals("prep", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).detail("done"));
    next(job);
    assertEquals(Phase.RUNNING, job.phase());
  }

  /** Its tasks may meet each other: one that starts again alone would wait for ever. */
  @Test
  public void shouldPrepareAgainAsAWholeWhereOneOfThePreparationsHasNotEnded() {
    Scenario job = Scenario.running(prepared());
    job.exit("prep:0", 0);

    List<Action> failed = job.exit("chief:0", 1);

    assertEquals(List.of("chief:0", "prep:1"), restarted(failed));
    assertEquals(List.of("prep 1"), requested(failed));
    next(job);
    assertEquals(TaskState.RUNNING, job.stateOf("prep:0"));
    assertEquals(TaskState.WAITING, job.stateOf("train:0"));
  }

  @Test
  public void shouldPrepareAgainAsAWholeWhereOneOfThePreparationsFails() {
    Scenario job = Scenario.running(prepared().stopsJob());
    job.exit("prep:0", 0);

    List<Action> lost = job.containerEnds("prep:1", FailureKind.LOST, "its node is lost");

    assertEquals(List.of("chief:0"), restarted(lost));
    assertEquals(List.of("prep 2"), requested(lost));
  }

  /** All were lost with the ApplicationMaster: none of them has ended. */
  @Test
  public void shouldPrepareAgainWhatWasLostWithTheMaster() {
    Scenario job = Scenario.running(prepared());

    List<Action> next = job.nextMaster();

    assertEquals(List.of("chief 1", "prep 2"), requested(next));
  }

  /** What it waits for starts again, so that it waits again, and gives back what it has. */
  @Test
  public void shouldGiveBackTheContainersOfARoleThatWaitsAgain() {
    Scenario job =
        Scenario.running(
            evaluated(true)
                .role("export", 2, Supervision.TRACKED)
                .after("evaluator")
                .retries(1, 1));
    job.exit("worker:0", 0);
    job.fires(Timer.group(0));
    job.allocateAll();
    job.registerAll();

    List<Action> failed = job.exit("export:0", 1);

    assertEquals(List.of("evaluator:0"), restarted(failed));
    assertEquals(List.of("worker 1"), requested(failed));
    assertEquals(TaskState.WAITING, job.stateOf("export:0"));
    assertEquals(TaskState.WAITING, job.stateOf("export:1"));
    assertEquals("1", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).detail("kept"));
    next(job);
    job.exit("worker:0", 0);
    assertEquals(List.of("export 2"), requested(job.exit("evaluator:0", 0)));
  }

  /** Two workers that wait for a preparation, beside a server that starts again by itself. */
  private static SampleJob served() {
    return job()
        .role("ps", 1, Supervision.UNTRACKED)
        .each(2)
        .role("prep", 1, Supervision.TRACKED)
        .workers(2)
        .after("prep")
        .hold(Duration.ofMinutes(2));
  }

  @Test
  public void shouldStartAStageWhileATaskOfAnEarlierOneStartsAgainByItself() {
    Scenario job = Scenario.running(served());
    job.exit("prep:0", 0);
    job.allocate("worker", 2);
    job.register("worker:0");

    List<Action> lost = job.containerEnds("ps:0", FailureKind.LOST, "its node is lost");

    assertEquals(List.of("ps 1"), requested(lost));
    assertEquals(Phase.REGISTERING, job.phase());
    job.fires(Timer.PARTIAL_ALLOCATION);
    assertEquals("nothing is given back", TaskState.REGISTERED, job.stateOf("worker:0"));
    assertEquals(List.of("worker:0", "worker:1"), started(job.register("worker:1")));
    job.allocate("ps");
    assertEquals(List.of("ps:0"), started(job.register("ps:0")));
    assertEquals(Phase.RUNNING, job.phase());
  }

  @Test
  public void shouldNotWaitForAnExecutorThatStartsItsTaskAgainByItself() {
    Scenario job = Scenario.running(served());
    job.exit("prep:0", 0);
    job.exit("ps:0", 1);
    job.allocate("worker", 2);
    job.register("worker:0");

    assertEquals(List.of("worker:0", "worker:1"), started(job.register("worker:1")));

    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(TaskState.LAUNCHING, job.stateOf("ps:0"));
  }

  /** It was waited for as long as its role had not paid for it. */
  @Test
  public void shouldRunOnceTheLastIndependentTaskStartsAgainByItself() {
    Scenario job = Scenario.allocated(job().workers(2).each(1).firstComeFirstServed());
    job.register("worker:0");
    assertEquals(Phase.REGISTERING, job.phase());

    job.containerEnds("worker:1", FailureKind.LOST, "its node is lost");

    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(TaskState.REQUESTED, job.stateOf("worker:1"));
  }

  /** Nothing has failed: the chief, which ended well in an earlier stage, only stands for all. */
  @Test
  public void shouldNotPrepareAgainWhereTheGangGrows() {
    Scenario job =
        Scenario.running(
            job()
                .role("prep", 1, Supervision.TRACKED)
                .role("train", 3, Supervision.TRACKED)
                .after("prep")
                .least(2));
    job.exit("prep:0", 0);
    job.allocate("train", 2);
    job.fires(Timer.ELASTIC);
    job.registerAll();
    job.fires(Timer.GROWTH);
    job.allocate("train");

    List<Action> grown =
        job.happens(
            new Event.CheckpointReported(
                job.now(),
                CheckpointTrackerTest.kept("train:0", job.state().session(), 120, 1, job.now())));

    assertEquals("prep", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).detail("done"));
    assertEquals(TaskState.SUCCEEDED, job.stateOf("prep:0"));
    assertEquals(List.of("train:0", "train:1"), restarted(grown));
    assertEquals(List.of("train:2"), Scenario.launched(grown));
    job.registerAll();
    assertEquals(Phase.RUNNING, job.phase());
  }

  /** Another role still waits for the preparation, which is therefore done again. */
  @Test
  public void shouldNotTrainAgainWhereTheTrainingIsDoneAndThePreparationIsNot() {
    Scenario job =
        Scenario.running(
            job()
                .role("chief", 1, Supervision.TRACKED)
                .role("prep", 2, Supervision.TRACKED)
                .role("label", 1, Supervision.TRACKED)
                .role("train", 1, Supervision.TRACKED)
                .after("prep")
                .role("test", 1, Supervision.TRACKED)
                .after("prep", "label")
                .role("export", 1, Supervision.TRACKED)
                .after("train")
                .retries(2, 2, 2)
                .failOnlyWhenAllFail());
    job.exit("prep:0", 0);
    job.exit("prep:1", 1);
    next(job);
    job.exit("train:0", 0);
    next(job);
    assertEquals(TaskState.RUNNING, job.stateOf("export:0"));

    job.containerEnds("export:0", FailureKind.LOST, "its node is lost");

    assertEquals("train", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).detail("done"));
    next(job);
    assertEquals(TaskState.SUCCEEDED, job.stateOf("train:0"));
    assertEquals(TaskState.RUNNING, job.stateOf("export:0"));
    job.exit("prep:0", 0);
    job.exit("prep:1", 0);
    assertEquals(TaskState.SUCCEEDED, job.stateOf("train:0"));
    assertEquals(TaskState.WAITING, job.stateOf("test:0"));
  }
}
