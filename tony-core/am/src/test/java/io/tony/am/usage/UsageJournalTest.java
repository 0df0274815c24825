package io.tony.am.usage;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.event.GangFact;
import io.tony.event.JobFact;
import io.tony.event.TaskFact;
import io.tony.event.UsageFact;
import io.tony.eventlog.Journal;
import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskUsage;
import io.tony.timeline.Timeline;
import io.tony.timeline.YarnTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

public class UsageJournalTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration INTERVAL = Duration.ofSeconds(5);
  private static final TaskId WORKER = new TaskId("worker", 0);

  /** One worker with 1024 MiB. */
  private static final JobSpec JOB = job().workers(1).spec();

  private final List<JobEvent> recorded = new ArrayList<>();
  private final List<Integer> decisions = new ArrayList<>(); // how many events each made known
  private boolean fails; // to record anything
  private Instant now = START;
  private final Metrics metrics = new Metrics(JOB, () -> now);
  private final UsageJournal history = history(INTERVAL);

  private Journal recorder() {
    return new Journal() {
      @Override
      public void record(List<JobEvent> decision) {
        if (fails) {
          throw new IllegalStateException("it fails");
        }
        decisions.add(decision.size());
        recorded.addAll(decision);
      }

      @Override
      public void runWhenDurable(Runnable step) {
        step.run();
      }
    };
  }

  private UsageJournal history(Duration interval) {
    return new UsageJournal(
        recorder(),
        metrics,
        new Adviser(JOB, Set.of("worker"), 1),
        new Stragglers(JOB, INTERVAL),
        interval,
        () -> now);
  }

  private void masterStarted() {
    history.record(List.of(new JobFact.MasterStarted(1, "node", 1, null).toEvent(now, 3)));
  }

  private void finished(FailureKind kind) {
    history.record(
        List.of(
            finish(
                kind == null
                    ? JobResult.succeeded("done")
                    : kind == FailureKind.KILLED
                        ? JobResult.killed("stopped")
                        : JobResult.failed(kind, "failed"))));
  }

  private JobEvent finish(JobResult result) {
    return new JobFact.Finished(result).toEvent(now, 3);
  }

  /** The worker uses 300 MiB for so long, and is sampled as it is to be. */
  private void run(Duration time) {
    for (long i = time.dividedBy(INTERVAL); i > 0; i--) {
      now = now.plus(INTERVAL);
      metrics.recordSample(
          WORKER, new Metrics.Sample(new TaskUsage(300, 0.5, null), INTERVAL, 300, 100));
    }
  }

  private List<JobEvent.Type> types() {
    return recorded.stream().map(JobEvent::type).toList();
  }

  @Test
  public void shouldTellNothingBeforeAProgramRuns() {
    masterStarted();
    assertEquals(Duration.ofSeconds(10), history.recordUsage());
    assertEquals(List.of(JobEvent.Type.AM_STARTED), types());
  }

  @Test
  public void shouldLookAgainAfterALookThatFailed() {
    masterStarted();
    run(Duration.ofSeconds(10));
    fails = true;
    assertEquals(Duration.ofSeconds(10), history.runOnce(Duration.ZERO));
    fails = false;
    assertEquals(Duration.ofSeconds(3), history.runOnce(Duration.ofSeconds(3)));
    assertEquals(Duration.ofSeconds(10), history.runOnce(Duration.ZERO));
    assertEquals(List.of(JobEvent.Type.AM_STARTED, JobEvent.Type.METRICS), types());
  }

  @Test
  public void shouldTellWhatTheTasksUseInTheSessionThatTheJobIsIn() {
    masterStarted();
    run(Duration.ofSeconds(10));

    assertEquals(Duration.ofSeconds(10), history.recordUsage());

    assertEquals(
        new JobEvent(now, JobEvent.Type.METRICS, 3, null, Map.of("worker:0", "300 0.50")),
        recorded.get(1));
  }

  @Test
  public void shouldTellTheLessOftenTheLongerTheJobRuns() {
    masterStarted();
    run(Duration.ofSeconds(1000));
    assertEquals(Duration.ofSeconds(10), history.recordUsage());
    run(Duration.ofSeconds(1000));
    assertEquals(Duration.ofSeconds(20), history.recordUsage());

    Duration day = Duration.ofDays(1);
    int events = 0;
    while (Duration.between(START, now).compareTo(day) < 0) {
      run(Duration.ofSeconds(5));
      Duration next = history.recordUsage();
      run(next.minusSeconds(5));
      events++;
    }
    assertTrue(events + " events", events > 200 && events < 600);
  }

  @Test
  public void shouldNotTellMoreOftenThanIsSampled() {
    assertEquals(Duration.ofMinutes(1), history(Duration.ofMinutes(1)).recordUsage());
  }

  @Test
  public void shouldAdviseBeforeTheLastEventHoweverTheJobEnds() {
    for (FailureKind kind : new FailureKind[] {null, FailureKind.PROGRAM, FailureKind.KILLED}) {
      recorded.clear();
      masterStarted();
      run(Duration.ofSeconds(30));

      finished(kind);

      assertEquals(
          List.of(
              JobEvent.Type.AM_STARTED,
              JobEvent.Type.GOODPUT,
              JobEvent.Type.ADVICE,
              JobEvent.Type.JOB_FINISHED),
          types());
      assertEquals(
          Map.of(
              "text",
              "no worker used more than 0.4 of its 1.0 GiB: tony.worker.memory=500m saves 524 MiB"),
          recorded.get(2).details());
      assertEquals(3, recorded.get(2).session());
    }
  }

  @Test
  public void shouldKeepADecisionAsOneWithTheAdvice() {
    masterStarted();
    run(Duration.ofSeconds(30));
    history.recordUsage();

    history.record(
        List.of(
            new JobFact.Stopping(JobResult.succeeded("done")).toEvent(now, 3),
            finish(JobResult.succeeded("done"))));

    assertEquals(
        List.of(
            JobEvent.Type.AM_STARTED,
            JobEvent.Type.METRICS,
            JobEvent.Type.JOB_STOPPING,
            JobEvent.Type.GOODPUT,
            JobEvent.Type.ADVICE,
            JobEvent.Type.JOB_FINISHED),
        types());
    assertEquals(List.of(1, 1, 4), decisions);
  }

  @Test
  public void shouldNotAdviseAfterLessThan30Seconds() {
    masterStarted();
    run(Duration.ofSeconds(25));
    finished(null);
    assertEquals(
        List.of(JobEvent.Type.AM_STARTED, JobEvent.Type.GOODPUT, JobEvent.Type.JOB_FINISHED),
        types());
  }

  @Test
  public void shouldNotAdviseWhereTheJobWasRefused() {
    masterStarted();
    run(Duration.ofSeconds(100));
    finished(FailureKind.INVALID);
    assertEquals(List.of(JobEvent.Type.AM_STARTED, JobEvent.Type.JOB_FINISHED), types());
  }

  @Test
  public void shouldAdviseNoLessMemoryWhereATaskDiedOfItBefore() {
    for (TaskFact.Failed failure :
        List.of(failed(FailureKind.MEMORY, null), failed(FailureKind.PROGRAM, 137))) {
      recorded.clear();
      UsageJournal next = history(INTERVAL);
      next.replay(failure.toEvent(now, 3));
      run(Duration.ofSeconds(30));
      next.record(List.of(finish(JobResult.succeeded("done"))));
      assertEquals(List.of(JobEvent.Type.GOODPUT, JobEvent.Type.JOB_FINISHED), types());
    }
  }

  /** A later master knows what was before it from the log. */
  @Test
  public void shouldTellWhereTheTimeOfTheWholeJobWent() {
    List<JobEvent> earlier =
        List.of(
            new JobFact.MasterStarted(1, "node", 1, null).toEvent(now, 0),
            new GangFact.Requested(1, "1 × worker", List.of("worker")).toEvent(now, 0),
            new TaskFact.Allocated(WORKER, "c", "node", "log").toEvent(now.plusSeconds(2), 0),
            new TaskFact.Registered(WORKER, new Endpoint("node", 1), 0)
                .toEvent(now.plusSeconds(3), 0),
            new GangFact.Running().toEvent(now.plusSeconds(3), 0),
            new TaskFact.Started(WORKER, 1).toEvent(now.plusSeconds(3), 0));
    earlier.forEach(history::replay);
    now = now.plusSeconds(13);
    history.record(List.of(new JobFact.MasterStarted(2, "node", 1, 1).toEvent(now, 0)));
    history.record(
        List.of(
            new JobFact.Stopping(JobResult.succeeded("done")).toEvent(now, 0),
            finish(JobResult.succeeded("done"))));

    UsageFact.Goodput goodput = new UsageFact.Goodput(2_000, 1_000, 10_000, Map.of(), 0, 0, true);
    assertEquals(goodput, UsageFact.Goodput.of(recorded.get(2)));
    List<JobEvent> log = new ArrayList<>(earlier);
    log.addAll(recorded);
    assertEquals(goodput, Timeline.of(log, YarnTimes.UNKNOWN).goodput());
    log.removeIf(event -> event.type() == JobEvent.Type.GOODPUT);
    assertEquals(goodput, Timeline.of(log, YarnTimes.UNKNOWN).goodput());
  }

  @Test
  public void shouldTellNothingAfterTheLastEvent() {
    masterStarted();
    run(Duration.ofSeconds(10));
    finished(null);

    history.recordUsage();

    assertEquals(
        List.of(JobEvent.Type.AM_STARTED, JobEvent.Type.GOODPUT, JobEvent.Type.JOB_FINISHED),
        types());
  }

  // ---- Stragglers ----

  private static final JobSpec THREE = job().workers(3).spec();

  private UsageJournal threeWorkers(Metrics of) {
    UsageJournal journal =
        new UsageJournal(
            recorder(),
            of,
            new Adviser(THREE, Set.of(), 1),
            new Stragglers(THREE, INTERVAL),
            INTERVAL,
            () -> now);
    journal.replay(new JobFact.MasterStarted(1, "node", 3, null).toEvent(now, 0));
    for (int i = 0; i < 3; i++) {
      TaskId task = new TaskId("worker", i);
      journal.record(
          List.of(
              new TaskFact.Allocated(task, "c", "node-" + i, "log").toEvent(now, 0),
              new TaskFact.Started(task, 1).toEvent(now, 0)));
    }
    recorded.clear();
    return journal;
  }

  private void trainSlowly(UsageJournal journal, Metrics of) {
    for (int window = 0; window < 6; window++) {
      now = now.plusSeconds(30);
      for (int i = 0; i < 3; i++) {
        for (int line = 0; line < 3; line++) {
          int step = (window * 3 + line) * (i == 1 ? 1 : 10);
          of.recordProgress(new TaskId("worker", i), "step " + step);
        }
      }
      journal.judge();
    }
  }

  @Test
  public void shouldRecordWhoHoldsTheGangUpAndAdviseUponItAtTheEnd() {
    Metrics of = new Metrics(THREE, () -> now);
    UsageJournal journal = threeWorkers(of);
    trainSlowly(journal, of);
    journal.record(List.of(finish(JobResult.succeeded("done"))));

    assertEquals(
        List.of(
            JobEvent.Type.STRAGGLER,
            JobEvent.Type.GOODPUT,
            JobEvent.Type.ADVICE,
            JobEvent.Type.JOB_FINISHED),
        types());
    UsageFact.Straggler straggler = UsageFact.Straggler.of(recorded.get(0));
    assertEquals("node-1", straggler.node());
    assertTrue(recorded.get(2).detail("text").startsWith(straggler.message()));
  }

  @Test
  public void shouldNotKnowHowFarATaskIsThatIsStartedAgain() {
    Metrics of = new Metrics(THREE, () -> now);
    UsageJournal journal = threeWorkers(of);
    TaskId task = new TaskId("worker", 1);
    of.recordProgress(task, "step 1/10");
    journal.record(List.of(new TaskFact.Started(task, 2).toEvent(now, 0)));
    assertEquals(null, of.readings("worker").get(1).progress());
    of.recordProgress(task, "step 2/10");
    assertEquals(2, of.readings("worker").get(1).progress().done(), 0);
  }

  @Test
  public void shouldNameNobodyAfterTheLastEvent() {
    Metrics of = new Metrics(THREE, () -> now);
    UsageJournal journal = threeWorkers(of);
    journal.record(List.of(finish(JobResult.succeeded("done"))));
    trainSlowly(journal, of);
    assertEquals(List.of(JobEvent.Type.GOODPUT, JobEvent.Type.JOB_FINISHED), types());
  }

  private static TaskFact.Failed failed(FailureKind kind, Integer exitCode) {
    return new TaskFact.Failed(WORKER, kind, "it failed", exitCode, "", "", "node", "log");
  }
}
