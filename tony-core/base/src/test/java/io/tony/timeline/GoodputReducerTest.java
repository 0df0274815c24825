package io.tony.timeline;

import static io.tony.timeline.WrittenLog.second;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.event.JobFact;
import io.tony.event.UsageFact.Goodput;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** What of a job's time counts as trained and kept. One worker, whose gang runs from second 10. */
public class GoodputReducerTest {
  private static final String WORKER = "worker:0";

  private static GoodputReducer fold(WrittenLog log) {
    GoodputReducer fold = new GoodputReducer();
    log.events().forEach(fold::add);
    return fold;
  }

  private static Goodput of(WrittenLog log) {
    return fold(log).now();
  }

  private static WrittenLog running() {
    return new WrittenLog()
        .at(0)
        .fact(
            new JobFact.MasterStarted(
                1, "master-1", 1, null, new JobFact.LaunchTimes(second(-3), second(-1))))
        .requested(1, "worker")
        .at(4)
        .allocated(WORKER, "node-0")
        .at(9)
        .registered(WORKER)
        .running()
        .at(10)
        .started(WORKER);
  }

  /** At this second the gang is started again in its container; it runs 5 s later. */
  private static WrittenLog again(WrittenLog log, double at, int attempt, FailureKind kind) {
    return log.at(at)
        .gangRestarted(WORKER, attempt, kind, "it failed")
        .at(at + 4)
        .registered(WORKER)
        .running()
        .at(at + 5)
        .started(WORKER);
  }

  private static WrittenLog succeeded(WrittenLog log, double at) {
    return log.at(at).succeeded(WORKER).stopping().at(at + 1).finished();
  }

  private static Goodput goodput(
      int queue,
      int starting,
      int training,
      Map<FailureKind, Long> lost,
      int stopping,
      int restarts,
      boolean byProgress) {
    return new Goodput(
        queue * 1_000L,
        starting * 1_000L,
        training * 1_000L,
        lost,
        stopping * 1_000L,
        restarts,
        byProgress);
  }

  @Test
  public void shouldCountEachMomentOnce() {
    Goodput goodput = of(succeeded(running(), 100));
    assertEquals(goodput(7, 6, 90, Map.of(), 1, 0, true), goodput);
    assertEquals(104_000, goodput.totalMs());
    assertEquals(90.0 / 104, goodput.trainingShare(), 1e-9);
  }

  @Test
  public void shouldCountWhatWasTrainedSoFarWhileTheJobRuns() {
    GoodputReducer fold = fold(running());
    assertEquals(goodput(7, 6, 50, Map.of(), 0, 0, true), fold.at(second(60)));
    assertEquals("asking changes nothing", fold.at(second(60)), fold.at(second(60)));
    assertEquals(goodput(7, 6, 0, Map.of(), 0, 0, true), fold.at(second(5)));
  }

  @Test
  public void shouldTellNothingBeforeTheFirstEvent() {
    assertEquals(goodput(0, 0, 0, Map.of(), 0, 0, true), new GoodputReducer().at(second(5)));
    assertEquals(0, new GoodputReducer().at(second(5)).trainingShare(), 0);
  }

  // ---- Restarts of programs that tell how far they are ----

  /** It was at 40 % at second 50, failed at 60 %, and goes on from 40 %. */
  @Test
  public void shouldLoseWhatWasTrainedAfterThePointFromWhichTheNextRunGoesOn() {
    WrittenLog log = running();
    for (int tenth = 1; tenth <= 6; tenth++) {
      log.at(10 + 10 * tenth).progress(WORKER, "step " + tenth + "00/1000");
    }
    again(log, 75, 1, FailureKind.LOST).at(83).progress(WORKER, "step 400/1000");
    // 50 to 75, and 80 to 83 until it was there again.
    assertEquals(
        goodput(7, 11, 40 + 17, Map.of(FailureKind.LOST, 28_000L), 1, 1, true),
        of(succeeded(log, 100)));
  }

  @Test
  public void shouldTakeTheProgressBetweenTwoLinesAsEven() {
    WrittenLog log = running().at(20).progress(WORKER, "10 %").at(40).progress(WORKER, "30 %");
    again(log, 40, 1, FailureKind.PROGRAM).at(45).progress(WORKER, "15 %");
    // 15 % was reached at second 25.
    assertEquals(Map.of(FailureKind.PROGRAM, 15_000L), of(succeeded(log, 100)).lostMs());
  }

  @Test
  public void shouldLoseAllWhereTheNextRunBeginsAnew() {
    WrittenLog log = running().at(20).progress(WORKER, "10 %").at(40).progress(WORKER, "30 %");
    again(log, 40, 1, FailureKind.PROGRAM).at(55).progress(WORKER, "10 %");
    // But for the 10 s that led to the first 10 %: the second time is the one that counts as lost.
    assertEquals(
        goodput(7, 11, 10 + 45, Map.of(FailureKind.PROGRAM, 30_000L), 1, 1, true),
        of(succeeded(log, 100)));
  }

  @Test
  public void shouldLoseNothingWhereTheNextRunIsFurther() {
    WrittenLog log = running().at(20).progress(WORKER, "step 100");
    again(log, 40, 1, FailureKind.PREEMPTED).at(45).progress(WORKER, "step 120");
    assertEquals(goodput(7, 11, 30 + 55, Map.of(), 1, 1, true), of(succeeded(log, 100)));
  }

  @Test
  public void shouldReachBackOverSeveralRuns() {
    WrittenLog log = running().at(20).progress(WORKER, "10 %").at(60).progress(WORKER, "50 %");
    again(log, 60, 1, FailureKind.LOST).at(65).progress(WORKER, "50 %").at(75);
    log.progress(WORKER, "60 %");
    again(log, 75, 2, FailureKind.PROGRAM).at(80).progress(WORKER, "20 %");
    // 20 % was reached at second 30 of the first run: 30 s of it, and 10 s of the second.
    Goodput goodput = of(succeeded(log, 100));
    assertEquals(Map.of(FailureKind.PROGRAM, 40_000L), goodput.lostMs());
    assertEquals(2, goodput.restartCount());
    assertTrue(goodput.byProgress());
  }

  /** The second run ended before it told anything; the third goes on from what the first left. */
  @Test
  public void shouldLoseARunThatToldNothingBetweenOthersThatDid() {
    WrittenLog log = running().at(20).progress(WORKER, "10 %").at(60).progress(WORKER, "50 %");
    again(log, 60, 1, FailureKind.LOST);
    again(log, 70, 2, FailureKind.MEMORY).at(75).progress(WORKER, "50 %");
    assertEquals(
        goodput(7, 16, 50 + 25, Map.of(FailureKind.MEMORY, 5_000L), 1, 2, false),
        of(succeeded(log, 100)));
  }

  @Test
  public void shouldLoseAllSinceTheStartUntilTheNextRunTellsWhereItIs() {
    WrittenLog log = running().at(20).progress(WORKER, "10 %").at(40).progress(WORKER, "30 %");
    GoodputReducer fold = fold(again(log, 50, 1, FailureKind.LOST));
    assertEquals(
        goodput(7, 11, 5, Map.of(FailureKind.LOST, 40_000L), 0, 1, false), fold.at(second(60)));
    new WrittenLog().at(60).progress(WORKER, "30 %").events().forEach(fold::add);
    // 40 to 50, and 55 to 60.
    assertEquals(
        goodput(7, 11, 30, Map.of(FailureKind.LOST, 15_000L), 0, 1, true), fold.at(second(60)));
  }

  // ---- Restarts of programs that do not ----

  @Test
  public void shouldLoseAllSinceTheStartWhereNoProgressIsTold() {
    WrittenLog log = again(running(), 40, 1, FailureKind.LOST);
    again(log, 60, 2, FailureKind.PROGRAM);
    Goodput goodput = of(succeeded(log, 100));
    assertEquals(
        goodput(
            7,
            16,
            35,
            Map.of(FailureKind.LOST, 30_000L, FailureKind.PROGRAM, 15_000L),
            1,
            2,
            false),
        goodput);
  }

  /** As of each epoch: that does not tell how far the job is. */
  @Test
  public void shouldNotGoByProgressThatCountsAnewWithinARun() {
    WrittenLog log = running().at(20).progress(WORKER, "90/100").at(30).progress(WORKER, "10/100");
    again(log, 40, 1, FailureKind.LOST).at(50).progress(WORKER, "50/100");
    Goodput goodput = of(succeeded(log, 100));
    assertEquals(Map.of(FailureKind.LOST, 30_000L), goodput.lostMs());
    assertFalse(goodput.byProgress());
  }

  @Test
  public void shouldNotCompareAStepWithAPart() {
    WrittenLog log = running().at(20).progress(WORKER, "step 90").at(30).progress(WORKER, "95 %");
    again(log, 40, 1, FailureKind.LOST).at(50).progress(WORKER, "50 %");
    assertEquals(Map.of(FailureKind.LOST, 30_000L), of(succeeded(log, 100)).lostMs());
  }

  // ---- One task ----

  @Test
  public void shouldLoseNothingWhereATaskIsStartedAgainAlone() {
    WrittenLog log =
        running()
            .at(20)
            .progress(WORKER, "20 %")
            .taskRestarted(WORKER, 1, false, true)
            .at(30)
            .allocated(WORKER, "node-1")
            .registered(WORKER)
            .started(WORKER)
            .at(40)
            .progress(WORKER, "10 %");
    assertEquals(goodput(7, 6, 90, Map.of(), 1, 0, true), of(succeeded(log, 100)));

    again(log, 50, 2, FailureKind.LOST).at(60).progress(WORKER, "20 %");
    assertTrue("what it tells is still in order", of(succeeded(log, 100)).byProgress());
  }

  /** It is lost before its program was started; the others wait. */
  @Test
  public void shouldWaitForATaskThatTheOthersWaitFor() {
    WrittenLog log =
        new WrittenLog()
            .master(1, 1)
            .requested(1, "worker")
            .at(4)
            .allocated(WORKER, "node-0")
            .at(6)
            .taskRestarted(WORKER, 1, false, false)
            .at(9)
            .allocated(WORKER, "node-1")
            .at(11)
            .registered(WORKER)
            .running()
            .started(WORKER);
    assertEquals(goodput(4 + 3, 2 + 2, 9, Map.of(), 1, 0, true), of(succeeded(log, 20)));
  }

  // ---- How it ends ----

  @Test
  public void shouldKeepNothingOfAJobThatFailedOrWasKilled() {
    for (JobResult result :
        List.of(JobResult.failed(FailureKind.PROGRAM, "bad"), JobResult.killed("stopped"))) {
      Goodput goodput = of(running().at(50).progress(WORKER, "90 %").at(60).ended(result));
      assertEquals(goodput(7, 6, 0, Map.of(result.kind(), 50_000L), 0, 0, true), goodput);
    }
  }

  /** That is what it had: the second run began there. */
  @Test
  public void shouldKeepOfAJobThatFailedWhatALaterRunWentOnFrom() {
    WrittenLog log = running().at(30).progress(WORKER, "20 %");
    again(log, 40, 1, FailureKind.LOST).at(45).progress(WORKER, "20 %");
    assertEquals(
        goodput(
            7, 11, 20, Map.of(FailureKind.LOST, 10_000L, FailureKind.PROGRAM, 15_000L), 0, 1, true),
        of(log.at(60).ended(JobResult.failed(FailureKind.PROGRAM, "bad"))));
  }

  @Test
  public void shouldKeepNothingOfAJobWhoseEndNobodyCouldTell() {
    GoodputReducer fold = fold(running());
    assertEquals(
        goodput(7, 6, 0, Map.of(FailureKind.AM_LOST, 50_000L), 0, 0, true),
        fold.lostAt(second(60)));
  }

  @Test
  public void shouldKnowFromItsDecisionHowAJobEnds() {
    JobFact.Stopping stopping = new JobFact.Stopping(JobResult.failed(FailureKind.PROGRAM, "bad"));
    assertEquals(
        goodput(7, 6, 0, Map.of(FailureKind.PROGRAM, 50_000L), 5, 0, true),
        fold(running().at(60).fact(stopping)).at(second(65)));
  }

  // ---- Logs that are long, or not whole ----

  @Test
  public void shouldKeepWhatItWasToldOfProgressInBounds() {
    WrittenLog log = running();
    int lines = 100_000;
    for (int line = 1; line <= lines; line++) {
      log.at(10 + line).progress(WORKER, "step " + line);
    }
    again(log, 10 + lines, 1, FailureKind.LOST).at(15 + lines).progress(WORKER, "step 25000");
    double lost = of(succeeded(log, 20.0 + lines)).lostMs().get(FailureKind.LOST).doubleValue();
    assertEquals(75_000_000, lost, 1);
  }

  @Test
  public void shouldPassOverWhatALaterVersionTells() {
    GoodputReducer fold = new GoodputReducer();
    fold.add(new JobEvent(Instant.EPOCH, JobEvent.Type.UNKNOWN, 0, null, Map.of()));
    running().events().forEach(fold::add);
    assertEquals(goodput(7, 6, 50, Map.of(), 0, 0, true), fold.at(second(60)));
  }

  @Test
  public void shouldBeginWithTheFirstEventThatIsThere() {
    List<JobEvent> events = running().events();
    GoodputReducer fold = new GoodputReducer();
    events.subList(events.size() - 1, events.size()).forEach(fold::add);
    assertEquals(50_000, fold.at(second(60)).totalMs());
  }

  // ---- In words ----

  @Test
  public void shouldSayItInALine() {
    assertEquals(
        "goodput 91 %: trained 2h 10m; queue 5m 0s, starting 1m 10s, lost 6m 0s (PROGRAM 2m 0s, LOST"
            + " 4m 0s; 2 restarts), stopping 2.00 s",
        GoodputLine.of(
            new Goodput(
                300_000,
                70_000,
                7_800_000,
                Map.of(FailureKind.LOST, 240_000L, FailureKind.PROGRAM, 120_000L),
                2_000,
                2,
                true)));
    assertEquals(
        "goodput 99 %: trained 1m 40s; stopping 0.00 s",
        GoodputLine.of(new Goodput(0, 0, 100_000, Map.of(), 1, 0, true)));
    assertEquals(
        "goodput 0 %: trained 0.00 s; lost 10.0 s (PROGRAM 10.0 s)",
        GoodputLine.of(new Goodput(0, 0, 0, Map.of(FailureKind.PROGRAM, 10_000L), 0, 0, true)));
    assertEquals(
        "goodput 50 %: trained 10.0 s; lost 10.0 s (PROGRAM 10.0 s; 1 restart; all since each start,"
            + " as no progress shows less)",
        GoodputLine.of(
            new Goodput(0, 0, 10_000, Map.of(FailureKind.PROGRAM, 10_000L), 0, 1, false)));
  }
}
