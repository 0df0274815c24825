package io.tony.timeline;

import static io.tony.timeline.WrittenLog.START;
import static io.tony.timeline.WrittenLog.plain;
import static io.tony.timeline.WrittenLog.second;
import static io.tony.timeline.WrittenLog.whole;
import static io.tony.timeline.WrittenLog.yarn;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.event.JobFact;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.timeline.TaskAttempt.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** What is made of written logs, whole and cut, of one clock and of several. */
public class TimelineTest {
  private static final YarnTimes NOTHING = YarnTimes.UNKNOWN;

  /** {@code stage from..to}, in seconds after the first event. */
  private static List<String> phases(Timeline timeline) {
    return timeline.phases().stream()
        .map(
            span ->
                span.stage()
                    + (span.session() == 0 ? "" : "'" + span.session())
                    + " "
                    + seconds(span.from())
                    + ".."
                    + seconds(span.to()))
        .toList();
  }

  private static String seconds(Instant at) {
    double seconds = Duration.between(START, at).toMillis() / 1_000.0;
    return String.valueOf(seconds).replaceFirst("\\.0$", "");
  }

  /** What each start of a task did when. */
  private static List<String> starts(Timeline timeline, String task) {
    return timeline.attempts().stream()
        .filter(attempt -> attempt.task().toString().equals(task))
        .map(
            attempt ->
                attempt.number()
                    + " "
                    + attempt.stepSpans(timeline.end()).stream()
                        .map(part -> part.step() + " " + seconds(part.from()))
                        .toList()
                    + " "
                    + attempt.end()
                    + (attempt.ended() == null ? "" : " " + seconds(attempt.ended())))
        .toList();
  }

  /**
   * What holds of every timeline: the phases are the whole, and nothing takes less than no time.
   */
  static void assertWhole(Timeline timeline) {
    Instant at = timeline.begin();
    for (Span span : timeline.phases()) {
      assertEquals(timeline.phases().toString(), at, span.from());
      assertTrue(span.toString(), span.to().isAfter(span.from()));
      at = span.to();
    }
    assertEquals(timeline.end(), at);
    Duration sum = timeline.byStage().values().stream().reduce(Duration.ZERO, Duration::plus);
    assertEquals(timeline.duration(), sum);
    for (TaskAttempt attempt : timeline.attempts()) {
      for (TaskAttempt.StepSpan part : attempt.stepSpans(timeline.end())) {
        assertTrue(attempt.toString(), !part.duration().isNegative());
        assertTrue(attempt.toString(), !part.from().isBefore(timeline.begin()));
        assertTrue(attempt.toString(), !part.to().isAfter(timeline.end()));
      }
    }
  }

  private static Timeline of(WrittenLog log, YarnTimes outside) {
    Timeline timeline = Timeline.of(log.events(), outside);
    assertWhole(timeline);
    return timeline;
  }

  @Test
  public void shouldNameWhatTheTimeOfAJobWentTo() {
    Timeline timeline = of(whole(), yarn());
    assertEquals(
        List.of(
            "QUEUED -3..-2",
            "LOCALIZING -2..-1",
            "MASTER -1..0",
            "ALLOCATING 0..3",
            "LAUNCHING 3..6",
            "STARTING 6..7",
            "WARMING_UP 7..10",
            "RUNNING 10..30",
            "STOPPING 30..31",
            "REPORTING 31..31.5"),
        phases(timeline));
    assertEquals(
        List.of("0 [WAITING 0, LAUNCHING 1, GATHERING 4, RUNNING 6.5] SUCCEEDED 30"),
        starts(timeline, "worker:0"));
    assertEquals(
        List.of("0 [WAITING 0, LAUNCHING 3, GATHERING 6, RUNNING 7] SUCCEEDED 20"),
        starts(timeline, "worker:1"));
    assertEquals(JobResult.Status.SUCCEEDED, timeline.result().status());
    assertEquals(List.of(), timeline.marks());
    assertEquals(List.of(), timeline.remarks());
  }

  /** Masters write nanoseconds, where their clocks have them. */
  @Test
  public void shouldAddUpInMilliseconds() {
    List<JobEvent> events = new ArrayList<>();
    for (JobEvent event : whole().events()) {
      Instant at = event.time().plusNanos(events.size() * 900_001L);
      events.add(new JobEvent(at, event.type(), event.session(), event.task(), event.details()));
    }
    Timeline timeline =
        Timeline.of(events, new YarnTimes(null, null, null, second(40).plusNanos(9)));
    assertWhole(timeline);
    assertEquals(
        timeline.duration().toMillis(),
        timeline.phases().stream().mapToLong(span -> span.duration().toMillis()).sum());
  }

  /** As a page has them, or where YARN has forgotten the application. */
  @Test
  public void shouldDoWithTheEventsAlone() {
    Timeline timeline = of(whole(), NOTHING);
    assertEquals(List.of("QUEUED -3..-1", "MASTER -1..0"), phases(timeline).subList(0, 2));
    assertEquals("STOPPING 30..31", phases(timeline).get(phases(timeline).size() - 1));
    assertEquals(List.of(), timeline.remarks());
  }

  /** An ApplicationMaster of release 0.1.0 did not say when it was started. */
  @Test
  public void shouldTakeTheTimeBeforeAnOlderMasterFromYarn() {
    WrittenLog log = new WrittenLog().master(1, 1).requested(1, "worker").at(2).finished();
    assertEquals(
        List.of("QUEUED -3..-2", "MASTER -2..0", "ALLOCATING 0..2", "REPORTING 2..31.5"),
        phases(of(log, yarn())));
    assertEquals(List.of("ALLOCATING 0..2"), phases(of(log, NOTHING)));
  }

  @Test
  public void shouldShowAJobThatRunsUntilNow() {
    Timeline timeline = of(plain(), new YarnTimes(second(-3), second(-2), null, second(50)));
    assertEquals("RUNNING 10..50", phases(timeline).get(7));
    assertNull(timeline.result());
    assertEquals(
        List.of("0 [WAITING 0, LAUNCHING 3, GATHERING 6, RUNNING 7] null"),
        starts(timeline, "worker:1"));
    assertEquals(List.of(), timeline.remarks());
  }

  @Test
  public void shouldShowWhatALogThatWasCutTells() {
    Timeline forgotten = of(plain(), NOTHING);
    assertEquals(second(10), forgotten.end());
    assertTrue(forgotten.remarks().toString(), forgotten.remarks().get(0).contains("not tell"));

    Timeline ended = of(plain(), new YarnTimes(second(-3), second(-2), second(60), null));
    assertEquals("RUNNING 10..60", phases(ended).get(7));
    assertTrue(ended.remarks().toString(), ended.remarks().get(0).contains("ends before the job"));
    assertEquals(
        List.of("0 [WAITING 0, LAUNCHING 3, GATHERING 6, RUNNING 7] STOPPED 60"),
        starts(ended, "worker:1"));
  }

  /** At every line, from both ends. */
  @Test
  public void shouldMakeSenseOfEveryPartOfALog() {
    List<JobEvent> all = new ArrayList<>(restarted().events());
    for (int from = 0; from < all.size(); from++) {
      for (int to = from + 1; to <= all.size(); to++) {
        List<JobEvent> part = all.subList(from, to);
        assertWhole(Timeline.of(part, NOTHING));
        assertWhole(Timeline.of(part, new YarnTimes(second(-3), second(-2), null, second(9))));
        assertWhole(Timeline.of(part, new YarnTimes(second(-3), second(-2), second(70), null)));
      }
    }
  }

  @Test
  public void shouldSayThatTheBeginningIsMissing() {
    List<JobEvent> late = whole().events().subList(9, whole().events().size());
    Timeline timeline = Timeline.of(late, yarn());
    assertWhole(timeline);
    assertEquals(
        List.of("RUNNING 10..30", "STOPPING 30..31", "REPORTING 31..31.5"), phases(timeline));
    assertTrue(timeline.remarks().toString(), timeline.remarks().get(0).contains("in the middle"));
  }

  @Test
  public void shouldPassOverWhatMakesNoSense() {
    List<JobEvent> events = new ArrayList<>(whole().events());
    events.add(3, new JobEvent(second(2), JobEvent.Type.TASK_ALLOCATED, 0, null, Map.of()));
    events.add(4, new JobEvent(Instant.EPOCH, JobEvent.Type.UNKNOWN, 0, null, Map.of()));
    Timeline timeline = Timeline.of(events, yarn());
    assertEquals(phases(of(whole(), yarn())), phases(timeline));
    assertEquals(
        List.of("2 events are passed over: TASK_ALLOCATED names no task"), timeline.remarks());
  }

  // ---- Starts that are made again ----

  /** The program of worker 1 fails; both keep their containers. */
  private static WrittenLog restarted() {
    return plain()
        .at(12)
        .failed("worker:1", "it exited with code 1")
        .gangRestarted("worker:1", 1, "worker:1 exited with code 1")
        .at(13)
        .registered("worker:0")
        .at(14)
        .registered("worker:1")
        .running()
        .at(15)
        .started("worker:0")
        .started("worker:1")
        .at(18)
        .progress("worker:0")
        .at(40)
        .succeeded("worker:0")
        .succeeded("worker:1")
        .stopping()
        .finished();
  }

  @Test
  public void shouldShowEachStartOfAGang() {
    Timeline timeline = of(restarted(), NOTHING);
    assertEquals(
        List.of(
            "WARMING_UP 7..10",
            "RUNNING 10..12",
            "LAUNCHING'1 12..14",
            "STARTING'1 14..15",
            "WARMING_UP'1 15..18",
            "RUNNING'1 18..40"),
        phases(timeline).subList(5, 11));
    assertEquals(
        List.of(
            "0 [WAITING 0, LAUNCHING 1, GATHERING 4, RUNNING 6.5] RESTARTED 12",
            "1 [LAUNCHING 12, GATHERING 13, RUNNING 15] SUCCEEDED 40"),
        starts(timeline, "worker:0"));
    assertEquals(
        List.of(
            "0 [WAITING 0, LAUNCHING 3, GATHERING 6, RUNNING 7] FAILED 12",
            "1 [LAUNCHING 12, GATHERING 14, RUNNING 15] SUCCEEDED 40"),
        starts(timeline, "worker:1"));
    assertEquals(
        List.of(
            new Mark(
                second(12),
                Mark.Kind.GANG_RESTART,
                "gang restart 1 (PROGRAM): worker:1 exited with code 1")),
        timeline.marks());
  }

  /** The others run on: no phase of the job. */
  @Test
  public void shouldShowATaskThatIsStartedAgainAlone() {
    WrittenLog log =
        plain()
            .at(12)
            .failed("worker:1", "lost")
            .taskRestarted("worker:1", 1, false, true)
            .at(14)
            .allocated("worker:1", "node-2")
            .at(16)
            .registered("worker:1")
            .started("worker:1")
            .at(20)
            .succeeded("worker:0")
            .succeeded("worker:1")
            .stopping()
            .finished();
    Timeline timeline = of(log, NOTHING);
    assertEquals("RUNNING 10..20", phases(timeline).get(6));
    assertEquals(
        "1 [WAITING 12, LAUNCHING 14, GATHERING 16, RUNNING 16] SUCCEEDED 20",
        starts(timeline, "worker:1").get(1));
    assertEquals("node-2", timeline.attempts().get(2).node());
    assertEquals(Mark.Kind.TASK_RESTART, timeline.marks().get(0).kind());
  }

  @Test
  public void shouldAskAgainForAContainerThatIsLostBeforeTheStart() {
    WrittenLog log =
        new WrittenLog()
            .master(1, 1)
            .requested(1, "worker")
            .at(2)
            .allocated("worker:0", "node-0")
            .at(5)
            .failed("worker:0", "lost")
            .taskRestarted("worker:0", 1, false, false)
            .at(9)
            .allocated("worker:0", "node-1")
            .at(10)
            .registered("worker:0")
            .running();
    assertEquals(
        List.of("ALLOCATING 0..2", "LAUNCHING 2..5", "ALLOCATING 5..9", "LAUNCHING 9..10"),
        phases(of(log, NOTHING)));
  }

  /** What was done for others stays done. */
  @Test
  public void shouldShowRolesThatWaitForOthers() {
    WrittenLog log =
        new WrittenLog()
            .master(1, 2)
            .requested(1, "prepare")
            .at(1)
            .allocated("prepare:0", "node-0")
            .at(2)
            .registered("prepare:0")
            .running()
            .started("prepare:0")
            .at(10)
            .succeeded("prepare:0")
            .requested(1, "worker")
            .at(11)
            .allocated("worker:0", "node-1")
            .at(12)
            .registered("worker:0")
            .running()
            .at(13)
            .started("worker:0")
            .at(14)
            .failed("worker:0", "it failed")
            .gangRestarted("worker:0", 1, "it failed", "prepare")
            .at(15)
            .registered("worker:0")
            .running()
            .started("worker:0");
    Timeline timeline = of(log, new YarnTimes(null, null, null, second(20)));
    assertEquals(
        List.of(
            "ALLOCATING 0..1",
            "LAUNCHING 1..2",
            "RUNNING 2..10",
            "ALLOCATING 10..11",
            "LAUNCHING 11..12",
            "STARTING 12..13",
            "RUNNING 13..14",
            "LAUNCHING'1 14..15",
            "RUNNING'1 15..20"),
        phases(timeline));
    assertEquals(1, starts(timeline, "prepare:0").size());
    assertEquals("WAITING 10", waiting(timeline, "worker:0"));
  }

  /** The task for which the gang starts again has not failed: it only stands for all. */
  @Test
  public void shouldNotStartAgainWhatIsDoneWhereTheGangGrows() {
    WrittenLog log =
        new WrittenLog()
            .master(1, 2)
            .requested(1, "prepare")
            .at(1)
            .allocated("prepare:0", "node-0")
            .at(2)
            .registered("prepare:0")
            .running()
            .started("prepare:0")
            .at(10)
            .succeeded("prepare:0")
            .at(14)
            .gangRestarted("prepare:0", 1, FailureKind.RESIZED, "there is room", "prepare");

    Timeline timeline = of(log, new YarnTimes(null, null, null, second(20)));

    assertEquals(1, starts(timeline, "prepare:0").size());
  }

  private static String waiting(Timeline timeline, String task) {
    return starts(timeline, task).get(0).replaceAll(".*\\[(WAITING [0-9.]+).*", "$1");
  }

  // ---- Containers that do not come ----

  @Test
  public void shouldShowAJobThatNeverGotItsContainers() {
    WrittenLog log =
        new WrittenLog()
            .master(1, 2)
            .requested(2, "worker")
            .at(5)
            .allocated("worker:0", "node-0")
            .at(8)
            .registered("worker:0")
            .at(60)
            .backedOff()
            .at(72)
            .requested(2, "worker")
            .at(100)
            .stopping()
            .finished();
    Timeline timeline = of(log, NOTHING);
    assertEquals(
        List.of("ALLOCATING 0..60", "BACKING_OFF 60..72", "ALLOCATING 72..100"), phases(timeline));
    assertEquals(
        List.of("0 [WAITING 0, LAUNCHING 5, GATHERING 8] GIVEN_BACK 60"),
        starts(timeline, "worker:0"));
    assertEquals(2, timeline.tasks());
    assertEquals(1, timeline.allocatedTaskCount());
  }

  @Test
  public void shouldShowAJobWhoseMasterNeverCameUp() {
    WrittenLog none = new WrittenLog();
    assertEquals(
        List.of("QUEUED -3..40"),
        phases(of(none, new YarnTimes(second(-3), null, null, second(40)))));
    assertEquals(List.of("QUEUED -3..-2", "LOCALIZING -2..31.5"), phases(of(none, yarn())));
    assertThrows(IllegalArgumentException.class, () -> Timeline.of(List.of(), NOTHING));
  }

  /**
   * A task that is asked for when the gang starts again has the number that its program is told.
   */
  @Test
  public void shouldNumberATaskAnewThatWaitsWhenItsGangStartsAgain() {
    WrittenLog log =
        plain()
            .at(12)
            .taskRestarted("worker:1", 1, false, true)
            .at(13)
            .gangRestarted("worker:0", 2, "exit code 1")
            .at(14)
            .allocated("worker:1", "node-2");
    assertEquals("2 [WAITING 12, LAUNCHING 14] null", starts(of(log, NOTHING), "worker:1").get(1));
  }

  // ---- Several masters, several clocks ----

  private static WrittenLog failover(double ahead) {
    return plain()
        .at(15)
        .ahead(ahead)
        .master(2, 2)
        .at(30)
        .succeeded("worker:0")
        .succeeded("worker:1")
        .stopping()
        .finished();
  }

  @Test
  public void shouldMarkTheMasterThatTookOver() {
    Timeline timeline = of(failover(0), NOTHING);
    assertEquals("RUNNING 10..30", phases(timeline).get(6));
    assertEquals(
        List.of(
            new Mark(
                second(15),
                Mark.Kind.MASTER,
                "ApplicationMaster 2 took over on master-2; running programs: 1;"
                    + " the last event before was 5.00 s ago")),
        timeline.marks());
  }

  /** Its times are taken as they are among themselves: 15 s from the takeover to the end. */
  @Test
  public void shouldMoveTheTimesOfAMasterWhoseClockIsBehind() {
    Timeline timeline = of(failover(-3_600), NOTHING);
    assertEquals("RUNNING 10..25", phases(timeline).get(6));
    assertEquals(1, timeline.remarks().size());
    assertTrue(timeline.remarks().get(0), timeline.remarks().get(0).contains("59m 55s or more"));
  }

  @Test
  public void shouldNotMoveTheTimesOfAMasterByWhatTheClockOfTheOneBeforeWasBehind() {
    WrittenLog log =
        plain()
            .at(15)
            .ahead(-3_600)
            .master(2, 2)
            .at(20)
            .ahead(0)
            .master(3, 2)
            .at(30)
            .stopping()
            .finished();
    assertEquals("RUNNING 10..30", phases(of(log, NOTHING)).get(6));
  }

  /** YARN has the job's end first, and its ApplicationMaster tells of its tasks for some time. */
  @Test
  public void shouldMoveNoTimesWhereYarnEndedTheJob() {
    WrittenLog log = plain().at(14).progress("worker:0");
    Timeline timeline = of(log, new YarnTimes(second(-3), second(-2), second(12), null));
    assertEquals("QUEUED -3..-2", phases(timeline).get(0));
    assertEquals(second(14), timeline.end());
    assertEquals(1, timeline.remarks().size()); // that the log ends before the job
  }

  /** Each of them moves nothing but itself. */
  @Test
  public void shouldNotAddUpWhatTwoThreadsWroteInAnotherOrder() {
    WrittenLog log = plain();
    for (int i = 0; i < 100; i++) {
      log.at(11 + i / 10.0).progress("worker:0").at(10.5 + i / 10.0).progress("worker:0");
    }
    Timeline timeline = of(log.at(30).stopping().at(31).finished(), NOTHING);
    assertEquals("RUNNING 10..30", phases(timeline).get(6));
    assertEquals(List.of(), timeline.remarks());
  }

  /** It waited for the log since it took its time. */
  @Test
  public void shouldMoveNothingByWhatNoDecisionTells() {
    WrittenLog log =
        plain()
            .at(18)
            .progress("worker:0")
            .at(13)
            .fact(new JobFact.UsageReport(Map.of("worker:0", "1 1")));
    Timeline timeline = of(log.at(30).stopping().at(31).finished(), NOTHING);
    assertEquals("RUNNING 10..30", phases(timeline).get(6));
    assertEquals(List.of(), timeline.remarks());
  }

  @Test
  public void shouldMoveTheTimesOfAResourceManagerWhoseClockIsAhead() {
    Timeline timeline = of(whole(), new YarnTimes(second(97), second(98), second(131.5), null));
    assertEquals(List.of("QUEUED -2..-1", "MASTER -1..0"), phases(timeline).subList(0, 2));
    // 99 s are needed so that nothing comes before its cause; how much more it is nobody knows.
    assertEquals("REPORTING 31..32.5", phases(timeline).get(8));
    assertTrue(timeline.remarks().get(0), timeline.remarks().get(0).contains("ahead of"));
  }

  @Test
  public void shouldMoveTheTimesOfAResourceManagerWhoseClockIsBehind() {
    Timeline timeline = of(whole(), new YarnTimes(second(-103), second(-102), second(-68.5), null));
    assertEquals(
        List.of("QUEUED -3.5..-2.5", "LOCALIZING -2.5..-1", "MASTER -1..0"),
        phases(timeline).subList(0, 3));
    assertEquals("STOPPING 30..31", phases(timeline).get(phases(timeline).size() - 1));
    assertTrue(timeline.remarks().get(0), timeline.remarks().get(0).contains("behind the"));
  }

  @Test
  public void shouldNotGoByTheClockOfWhoeverLooksWhereThatIsBehind() {
    Timeline timeline = of(plain(), new YarnTimes(second(-3), second(-2), null, second(-500)));
    assertEquals(second(10), timeline.end());
  }

  /** In Azkaban's log the client has told first that it submitted the job. */
  @Test
  public void shouldTakeTheSubmissionFromTheClientWhereNobodyElseTellsIt() {
    List<JobEvent> events = new ArrayList<>();
    events.add(new JobFact.Submitted("application_1_0001", "q", "url").toEvent(second(-9), 0));
    events.addAll(new WrittenLog().master(1, 1).requested(1, "worker").at(1).finished().events());
    Timeline timeline = Timeline.of(events, NOTHING);
    assertEquals(List.of("QUEUED -9..0", "ALLOCATING 0..1"), phases(timeline));
  }

  /** The log of a job of weeks has hundreds of thousands of them. */
  @Test
  public void shouldWantLittleOfTheProgress() {
    WrittenLog log = plain().at(69).progress("worker:1").at(70).progress("worker:0").at(71);
    log.gangRestarted("worker:0", 1, "exit code 1").at(72).progress("worker:0");
    List<JobEvent> wanted = log.events().stream().filter(Timeline.relevantEvents()).toList();
    List<JobEvent> all = new ArrayList<>(log.events());
    assertTrue(all.removeIf(event -> event.time().equals(second(69))));
    assertEquals(all, wanted);
    assertEquals(Timeline.of(log.events(), NOTHING), Timeline.of(wanted, NOTHING));
  }

  // ---- Sums ----

  @Test
  public void shouldNameTheSlowest() {
    Timeline timeline = of(whole(), NOTHING);
    Instant end = timeline.end();
    Spread launching = Spread.of(timeline.attempts(), Step.LAUNCHING, end, 1);
    assertEquals(Duration.ofSeconds(3), launching.min());
    assertEquals(Duration.ofSeconds(3), launching.max());
    Spread running = Spread.of(timeline.attempts(), Step.RUNNING, end, 1);
    assertEquals(2, running.count());
    assertEquals(Duration.ofSeconds(13), running.median());
    assertEquals(Duration.ofMillis(23_500), running.p95());
    assertEquals("worker:0", running.slowest().get(0).task().toString());
  }

  @Test
  public void shouldNameAsSlowestWhatNeverComesToAnEnd() {
    WrittenLog log =
        new WrittenLog()
            .at(0)
            .master(1, 2)
            .requested(2, "worker")
            .at(1)
            .allocated("worker:0", "node-0")
            .allocated("worker:1", "node-1")
            .at(2)
            .registered("worker:0");
    Timeline timeline = of(log, new YarnTimes(null, null, null, second(100)));
    Spread launching = Spread.of(timeline.attempts(), Step.LAUNCHING, timeline.end(), 1);
    assertEquals("worker:1", launching.slowest().get(0).task().toString());
    assertEquals(Duration.ofSeconds(99), launching.max());
    assertNull(Spread.of(timeline.attempts(), Step.RUNNING, timeline.end(), 1));
  }
}
