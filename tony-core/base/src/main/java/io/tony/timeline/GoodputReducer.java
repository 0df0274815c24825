package io.tony.timeline;

import io.tony.event.CheckpointFact;
import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobFact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.event.UsageFact;
import io.tony.metrics.ReportedProgress;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Computes the goodput of a job, the share of its time whose training result was kept, from its
 * events in log order. Each moment counts towards the stage that the job is in; {@link
 * TrainingTime} determines how much of the time in which programs ran was kept. Memory use grows
 * with the number of tasks, not with the number of events. Not thread-safe.
 *
 * <p>{@code docs/goodput.md} defines the categories.
 */
public final class GoodputReducer {
  private enum Category {
    QUEUE,
    STARTING,
    TRAINING,
    STOPPING
  }

  /** Key of the option that controls whether programs resume from checkpoints. */
  static final String RESUME_OPTION = "tony.checkpoint.resume";

  private final LogClock clock = new LogClock(remark -> {});
  private final TaskAttempts attempts = new TaskAttempts(over -> {});
  private final TrainingTime training = new TrainingTime();
  private final Map<Category, Long> millis = new EnumMap<>(Category.class);
  private @Nullable JobPhases phases; // null before the first event
  // Time of the last event. Before the first event: when the job began; null if that is unknown.
  private @Nullable Instant last;
  // The task that reports the job's progress; null if none has reported any.
  private @Nullable TaskId progressReporter;
  private @Nullable JobResult result; // null before the result is decided
  private int restarts;

  /**
   * End of the latest period in which programs ran, as far as the events were added; null if no
   * program has run yet.
   */
  private @Nullable Instant ranUntil;

  /** True if the job is configured never to resume from its checkpoints. */
  private boolean neverResumes;

  /** Computes the goodput of a job whose begin is derived from its first event. */
  public GoodputReducer() {}

  /** Computes the goodput of a job that begins at {@code begin}. */
  GoodputReducer(Instant begin) {
    last = begin;
  }

  /**
   * Adds the next event.
   *
   * @throws IllegalArgumentException if a detail of the event is missing or malformed
   */
  public void add(JobEvent rawEvent) {
    Optional<Fact> parsed = Fact.of(rawEvent);
    if (parsed.isPresent() && rawEvent.type() != JobEvent.Type.JOB_SUBMITTED) {
      Fact fact = parsed.get();
      JobEvent event = clock.corrected(rawEvent);
      JobPhases begun = begin(event);
      advanceTo(event.time());
      attempts.add(event.time(), event.session(), fact);
      begun.add(event, fact, attempts);
      updateTraining(fact);
    }
  }

  /** Returns the stages of the job, which begin with the first event. */
  private JobPhases begin(JobEvent event) {
    if (phases == null) {
      if (last == null) {
        last = ClockAlignment.of(List.of(event), YarnTimes.UNKNOWN, new ArrayList<>()).begin();
      }
      advanceTo(event.time());
      phases = new JobPhases(ClockAlignment.stageOf(event.type()), event.time(), span -> {});
    }
    return phases;
  }

  private void advanceTo(Instant at) {
    long passed = Math.max(0, Duration.between(last, at).toMillis());
    Category category = category();
    millis.merge(category, passed, Long::sum);
    if (category == Category.TRAINING) {
      training.addRunTime(passed);
    }
    last = at.isAfter(last) ? at : last;
    ranUntil = category == Category.TRAINING ? last : ranUntil;
  }

  private Category category() {
    return phases == null
        ? Category.QUEUE
        : switch (phases.stage()) {
          case QUEUED, LOCALIZING, MASTER, ALLOCATING, BACKING_OFF -> Category.QUEUE;
          case LAUNCHING, STARTING -> Category.STARTING;
          case WARMING_UP, RUNNING -> Category.TRAINING;
          case STOPPING, REPORTING -> Category.STOPPING;
        };
  }

  private void updateTraining(Fact fact) {
    if (fact instanceof TaskFact.Progressed progress) {
      recordProgress(progress);
    } else if (fact instanceof GangFact.Restarted gang) {
      restarts++;
      training.recordRestart(gang.kind());
    } else if (fact instanceof JobFact.Stopping stopping) {
      result = stopping.result();
    } else if (fact instanceof JobFact.Finished finished) {
      result = finished.result();
    } else if (fact instanceof JobFact.Described described) {
      neverResumes = "never".equals(described.description().options().get(RESUME_OPTION));
    } else if (fact instanceof CheckpointFact.CheckpointSaved checkpoint) {
      recordCheckpoint(checkpoint);
    } else if (fact instanceof CheckpointFact.ResumeDecision resumes) {
      recordResume(resumes);
    } else if (fact instanceof ResizeFact.Resized resized) {
      // If the task that reports the progress was removed, the next task that reports progress
      // takes its place.
      progressReporter =
          progressReporter != null && resized.isGone(progressReporter) ? null : progressReporter;
    } else if (fact instanceof TaskFact.Restarted task && task.task().equals(progressReporter)) {
      training.recordReporterRestart();
    }
  }

  private void recordCheckpoint(CheckpointFact.CheckpointSaved fact) {
    if (fact.completesSet() && !neverResumes && ranUntil != null) {
      training.recordCheckpoint(
          fact.set(), Duration.between(namedAt(fact, ranUntil), ranUntil).toMillis());
    }
  }

  /**
   * Returns when the program reported the checkpoint, but not later than the end of the time in
   * which programs ran, and not before 1970: the clock of the node of the task may be ahead, and a
   * program can report any time.
   */
  private static Instant namedAt(CheckpointFact.CheckpointSaved fact, Instant ranUntil) {
    Instant namedAt = fact.namedAt().isBefore(Instant.EPOCH) ? Instant.EPOCH : fact.namedAt();
    return namedAt.isAfter(ranUntil) ? ranUntil : namedAt;
  }

  private void recordResume(CheckpointFact.ResumeDecision fact) {
    if (fact.task() == null) {
      training.recordResume(fact.from() == null ? TrainingTime.NO_CHECKPOINT : fact.from().set());
    }
  }

  private void recordProgress(TaskFact.Progressed fact) {
    Optional<ReportedProgress> reached = ReportedProgress.parse(fact.text());
    if (reached.isPresent() && (progressReporter == null || progressReporter.equals(fact.task()))) {
      progressReporter = fact.task();
      training.recordProgress(reached.get());
    }
  }

  /**
   * Returns the task whose progress counts as the job's, which is the first that reported any; null
   * if none did.
   */
  public @Nullable TaskId progressReporter() {
    return progressReporter;
  }

  /** Returns the stage of the job after its last event. */
  public Stage stage() {
    return phases == null ? Stage.QUEUED : phases.stage();
  }

  /** Returns the goodput up to the last event. */
  public UsageFact.Goodput now() {
    return goodput(0, false);
  }

  /**
   * Returns the goodput up to {@code now}, or up to the last event if that is later, of a job that
   * still runs or whose events contain its end.
   */
  public UsageFact.Goodput at(Instant now) {
    return goodput(millisUntil(now), false);
  }

  /**
   * Returns the goodput of a job that ended at {@code end} without recording its end, because its
   * ApplicationMaster was lost.
   */
  public UsageFact.Goodput lostAt(Instant end) {
    return goodput(millisUntil(end), true);
  }

  /** Returns the time from the last event to {@code now}, in milliseconds; 0 before any event. */
  private long millisUntil(Instant now) {
    return last == null
        ? 0
        : Math.max(0, Duration.between(last, now.truncatedTo(ChronoUnit.MILLIS)).toMillis());
  }

  private UsageFact.Goodput goodput(long more, boolean truncated) {
    Category category = category();
    TrainingTime.Sum sum =
        training.sum(category == Category.TRAINING ? more : 0, endFailure(truncated));
    return new UsageFact.Goodput(
        millis(Category.QUEUE, category, more),
        millis(Category.STARTING, category, more),
        sum.keptMillis(),
        sum.lost(),
        millis(Category.STOPPING, category, more),
        restarts,
        sum.byProgress());
  }

  private long millis(Category wanted, Category current, long more) {
    return millis.getOrDefault(wanted, 0L) + (wanted == current ? more : 0);
  }

  /**
   * Returns the kind of failure that ended the job, whose unsaved training counts as lost; null if
   * the job succeeded or still runs. {@code truncated} is true if the job is over without a
   * recorded end.
   */
  private @Nullable FailureKind endFailure(boolean truncated) {
    if (result == null) {
      // Such a job lost its ApplicationMaster, which could not record the end.
      return truncated ? FailureKind.AM_LOST : null;
    }
    return result.status() == JobResult.Status.SUCCEEDED ? null : result.kind();
  }
}
