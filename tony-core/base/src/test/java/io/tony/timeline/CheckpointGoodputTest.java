package io.tony.timeline;

import static io.tony.timeline.WrittenLog.second;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.ResumePolicy;
import io.tony.event.CheckpointFact;
import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.event.UsageFact.Goodput;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** What kept checkpoints make of goodput. One worker, whose gang runs from second 10. */
public class CheckpointGoodputTest {
  private static final String WORKER = "worker:0";
  private static final String OLD = "1700000000000_0000000011_000000-000000000900";
  private static final String FIRST = "1700000000000_0000000012_000000-000000001200";
  private static final String SECOND = "1700000000000_0000000012_000001-000000001500";

  private static WrittenLog running() {
    return running(new WrittenLog());
  }

  private static WrittenLog running(WrittenLog log) {
    return log.at(0)
        .fact(new JobFact.MasterStarted(1, "master-1", 1, null, JobFact.LaunchTimes.UNKNOWN))
        .requested(1, "worker")
        .at(4)
        .allocated(WORKER, "node-0")
        .at(9)
        .registered(WORKER)
        .running()
        .at(10)
        .started(WORKER);
  }

  /** Told at {@code at}, of what the program had named at {@code named}. */
  private static WrittenLog kept(WrittenLog log, double at, String set, Instant named) {
    return log.at(at)
        .fact(
            new CheckpointFact.CheckpointSaved(
                TaskId.parse(WORKER),
                set,
                1200,
                true,
                1,
                true,
                10,
                500,
                named,
                "model",
                "/kept",
                null));
  }

  /** The gang is started again, goes on from the set, and runs 5 s later. */
  private static WrittenLog again(WrittenLog log, double at, int attempt, String set) {
    return log.at(at)
        .gangRestarted(WORKER, attempt, FailureKind.LOST, "it was lost")
        .at(at + 4)
        .registered(WORKER)
        .running()
        .fact(
            CheckpointFact.ResumeDecision.from(
                null,
                new CheckpointFact.SourceCheckpoint(
                    set, 1200, true, second(1), "application_1_0012", "", "/kept")))
        .at(at + 5)
        .started(WORKER);
  }

  private static Goodput of(WrittenLog log) {
    GoodputReducer fold = new GoodputReducer();
    log.events().forEach(fold::add);
    return fold.now();
  }

  private static WrittenLog succeeded(WrittenLog log, double at) {
    return log.at(at).succeeded(WORKER).stopping().at(at + 1).finished();
  }

  @Test
  public void shouldLoseWhatWasTrainedSinceTheCheckpointWasNamed() {
    Goodput goodput =
        of(succeeded(again(kept(running(), 50, FIRST, second(40)), 70, 1, FIRST), 100));

    assertEquals(Map.of(FailureKind.LOST, 30_000L), goodput.lostMs());
    assertEquals(30_000 + 25_000, goodput.trainingMs());
    assertTrue("the checkpoint tells how much", goodput.byProgress());
  }

  @Test
  public void shouldLoseEachRunOnceWhereSeveralGoOnFromTheSame() {
    WrittenLog log = again(kept(running(), 50, FIRST, second(40)), 70, 1, FIRST);
    Goodput goodput = of(succeeded(again(log, 80, 2, FIRST), 100));

    assertEquals(Map.of(FailureKind.LOST, 30_000L + 5_000L), goodput.lostMs());
    assertEquals(30_000 + 15_000, goodput.trainingMs());
  }

  @Test
  public void shouldCountOnFromALaterCheckpoint() {
    WrittenLog log = again(kept(running(), 50, FIRST, second(40)), 70, 1, FIRST);
    Goodput goodput = of(succeeded(again(kept(log, 86, SECOND, second(85)), 90, 2, SECOND), 100));

    assertEquals(Map.of(FailureKind.LOST, 30_000L + 5_000L), goodput.lostMs());
    assertEquals(30_000 + 10_000 + 5_000, goodput.trainingMs());
  }

  @Test
  public void shouldLoseAllOfThisJobWhereItGoesOnFromAnEarlierOnes() {
    WrittenLog log = kept(running(), 50, FIRST, second(40));

    Goodput goodput = of(succeeded(again(log, 70, 1, OLD), 100));

    assertEquals(Map.of(FailureKind.LOST, 60_000L), goodput.lostMs());
  }

  @Test
  public void shouldLoseAllWhereTheGangStartsClean() {
    WrittenLog log =
        kept(running(), 50, FIRST, second(40))
            .at(70)
            .gangRestarted(WORKER, 1, FailureKind.LOST, "it was lost")
            .fact(CheckpointFact.ResumeDecision.clean(null, "it cannot be listed"))
            .at(74)
            .registered(WORKER)
            .running()
            .at(75)
            .started(WORKER);

    Goodput goodput = of(succeeded(log, 100));

    assertEquals(Map.of(FailureKind.LOST, 60_000L), goodput.lostMs());
    assertEquals(25_000, goodput.trainingMs());
  }

  @Test
  public void shouldLoseNothingWhereATaskStartsCleanByItself() {
    WrittenLog log =
        kept(running(), 50, FIRST, second(40))
            .at(70)
            .fact(CheckpointFact.ResumeDecision.clean(TaskId.parse(WORKER), "it cannot be listed"));

    assertEquals(Map.of(), of(succeeded(log, 100)).lostMs());
  }

  @Test
  public void shouldTakeATimeThatCannotBeForTheBeginning() {
    for (Instant never :
        List.of(Instant.ofEpochMilli(Long.MIN_VALUE), Instant.MIN, second(-1_000_000))) {
      WrittenLog log = kept(running(), 50, FIRST, never);
      log.at(70).ended(JobResult.failed(FailureKind.PROGRAM, "it failed"));

      assertEquals(Map.of(FailureKind.PROGRAM, 60_000L), of(log).lostMs());
    }
    for (Instant never : List.of(Instant.ofEpochMilli(Long.MAX_VALUE), Instant.MAX)) {
      WrittenLog log = kept(running(), 50, FIRST, never);
      log.at(70).ended(JobResult.failed(FailureKind.PROGRAM, "it failed"));

      assertEquals(40_000, of(log).trainingMs());
    }
  }

  @Test
  public void shouldLoseNothingOfTheFirstRun() {
    WrittenLog log = running();
    log.fact(
        CheckpointFact.ResumeDecision.from(
            null,
            new CheckpointFact.SourceCheckpoint(
                OLD, 900, true, second(-100), "application_1_0011", "", "/kept")));

    assertEquals(Map.of(), of(succeeded(log, 100)).lostMs());
  }

  @Test
  public void shouldLoseMoreWhereProgressTellsThatTheProgramBeganAnew() {
    WrittenLog log = running().at(20).progress(WORKER, "0/100").at(45).progress(WORKER, "50/100");
    again(kept(log, 50, FIRST, second(40)), 70, 1, FIRST).at(80).progress(WORKER, "0/100");

    Goodput goodput = of(succeeded(log, 100));

    assertEquals(Map.of(FailureKind.LOST, 50_000L + 5_000L), goodput.lostMs());
  }

  @Test
  public void shouldKeepOfAFailedJobWhatItsNewestCheckpointHolds() {
    WrittenLog log = kept(running(), 50, FIRST, second(40));
    log.at(70).ended(JobResult.failed(FailureKind.PROGRAM, "it failed"));

    Goodput goodput = of(log);

    assertEquals(30_000, goodput.trainingMs());
    assertEquals(Map.of(FailureKind.PROGRAM, 30_000L), goodput.lostMs());
  }

  @Test
  public void shouldKeepNothingOfAFailedJobThatNeverResumes() {
    WrittenLog log = new WrittenLog().at(0);
    log.fact(
        new JobFact.Described(
            new JobDescription(
                "ada",
                "q",
                "train",
                "standalone",
                JobDescription.AzkabanStep.NONE,
                Map.of(GoodputReducer.RESUME_OPTION, ResumePolicy.NEVER.toString()),
                "")));
    kept(running(log), 50, FIRST, second(40));
    log.at(70).ended(JobResult.failed(FailureKind.PROGRAM, "it failed"));

    assertEquals(0, of(log).trainingMs());
    assertEquals(CheckpointOptions.RESUME.key(), GoodputReducer.RESUME_OPTION);
  }

  @Test
  public void shouldTakeTheClockOfANodeThatIsAheadForNow() {
    WrittenLog log = kept(running(), 50, FIRST, second(4_000));
    log.at(70).ended(JobResult.failed(FailureKind.PROGRAM, "it failed"));

    assertEquals(40_000, of(log).trainingMs());
  }

  @Test
  public void shouldKeepNothingOfASetThatIsNotWhole() {
    WrittenLog log = running();
    log.at(50)
        .fact(
            new CheckpointFact.CheckpointSaved(
                TaskId.parse(WORKER),
                FIRST,
                1200,
                true,
                2,
                false,
                10,
                500,
                second(40),
                "model",
                "/kept",
                null));
    log.at(70).ended(JobResult.failed(FailureKind.PROGRAM, "it failed"));

    assertEquals(0, of(log).trainingMs());
    assertFalse(of(log).lostMs().isEmpty());
  }
}
