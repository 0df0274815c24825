package io.tony.am.usage;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.eventlog.Journal;
import io.tony.fact.JobFact;
import io.tony.fact.TaskFact;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskUse;
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
  private Instant now = START;
  private final Metrics metrics = new Metrics(JOB, () -> now);
  private final UsageJournal history = history(INTERVAL);

  private UsageJournal history(Duration interval) {
    return new UsageJournal(
        new Journal() {
          @Override
          public void record(List<JobEvent> decision) {
            decisions.add(decision.size());
            recorded.addAll(decision);
          }

          @Override
          public void afterwards(Runnable step) {
            step.run();
          }
        },
        metrics,
        new Adviser(JOB, Set.of("worker"), 1),
        interval,
        () -> now);
  }

  private JobEvent event(JobEvent.Type type, TaskId task, Map<String, String> details) {
    return new JobEvent(now, type, 3, task, details);
  }

  private void masterStarted() {
    history.record(List.of(event(JobEvent.Type.AM_STARTED, null, Map.of())));
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
    return new JobFact.Finished(result).at(now, 3);
  }

  /** The worker uses 300 MiB for so long, and is sampled as it is to be. */
  private void run(Duration time) {
    for (long i = time.dividedBy(INTERVAL); i > 0; i--) {
      now = now.plus(INTERVAL);
      metrics.heard(WORKER, new Metrics.Sample(new TaskUse(300, 0.5, null), INTERVAL, 300, 100));
    }
  }

  private List<JobEvent.Type> types() {
    return recorded.stream().map(JobEvent::type).toList();
  }

  @Test
  public void shouldTellNothingBeforeAProgramRuns() {
    masterStarted();
    assertEquals(Duration.ofSeconds(10), history.tell());
    assertEquals(List.of(JobEvent.Type.AM_STARTED), types());
  }

  @Test
  public void shouldTellWhatTheTasksUseInTheSessionThatTheJobIsIn() {
    masterStarted();
    run(Duration.ofSeconds(10));

    assertEquals(Duration.ofSeconds(10), history.tell());

    assertEquals(
        new JobEvent(now, JobEvent.Type.METRICS, 3, null, Map.of("worker:0", "300 0.50")),
        recorded.get(1));
  }

  @Test
  public void shouldTellTheLessOftenTheLongerTheJobRuns() {
    masterStarted();
    run(Duration.ofSeconds(1000));
    assertEquals(Duration.ofSeconds(10), history.tell());
    run(Duration.ofSeconds(1000));
    assertEquals(Duration.ofSeconds(20), history.tell());

    Duration day = Duration.ofDays(1);
    int events = 0;
    while (Duration.between(START, now).compareTo(day) < 0) {
      run(Duration.ofSeconds(5));
      Duration next = history.tell();
      run(next.minusSeconds(5));
      events++;
    }
    assertTrue(events + " events", events > 200 && events < 600);
  }

  @Test
  public void shouldNotTellMoreOftenThanIsSampled() {
    assertEquals(Duration.ofMinutes(1), history(Duration.ofMinutes(1)).tell());
  }

  @Test
  public void shouldAdviseBeforeTheLastEventHoweverTheJobEnds() {
    for (FailureKind kind : new FailureKind[] {null, FailureKind.USER, FailureKind.KILLED}) {
      recorded.clear();
      masterStarted();
      run(Duration.ofSeconds(30));

      finished(kind);

      assertEquals(
          List.of(JobEvent.Type.AM_STARTED, JobEvent.Type.ADVICE, JobEvent.Type.JOB_FINISHED),
          types());
      assertEquals(
          Map.of(
              "text",
              "no worker used more than 0.4 of its 1.0 GiB: tony.worker.memory=500m saves 524 MiB"),
          recorded.get(1).details());
      assertEquals(3, recorded.get(1).session());
    }
  }

  @Test
  public void shouldKeepADecisionAsOneWithTheAdvice() {
    masterStarted();
    run(Duration.ofSeconds(30));
    history.tell();

    history.record(
        List.of(
            event(JobEvent.Type.JOB_STOPPING, null, Map.of("status", "SUCCEEDED")),
            finish(JobResult.succeeded("done"))));

    assertEquals(
        List.of(
            JobEvent.Type.AM_STARTED,
            JobEvent.Type.METRICS,
            JobEvent.Type.JOB_STOPPING,
            JobEvent.Type.ADVICE,
            JobEvent.Type.JOB_FINISHED),
        types());
    assertEquals(List.of(1, 1, 3), decisions);
  }

  @Test
  public void shouldNotAdviseAfterLessThan30Seconds() {
    masterStarted();
    run(Duration.ofSeconds(25));
    finished(null);
    assertEquals(List.of(JobEvent.Type.AM_STARTED, JobEvent.Type.JOB_FINISHED), types());
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
        List.of(failed(FailureKind.MEMORY, null), failed(FailureKind.USER, 137))) {
      recorded.clear();
      UsageJournal next = history(INTERVAL);
      next.resume(List.of(failure.at(now, 3)));
      run(Duration.ofSeconds(30));
      next.record(List.of(finish(JobResult.succeeded("done"))));
      assertEquals(List.of(JobEvent.Type.JOB_FINISHED), types());
    }
  }

  @Test
  public void shouldTellNothingAfterTheLastEvent() {
    masterStarted();
    run(Duration.ofSeconds(10));
    finished(null);

    history.tell();

    assertEquals(List.of(JobEvent.Type.AM_STARTED, JobEvent.Type.JOB_FINISHED), types());
  }

  private static TaskFact.Failed failed(FailureKind kind, Integer exitCode) {
    return new TaskFact.Failed(WORKER, kind, "it failed", exitCode, "", "node", "log");
  }
}
