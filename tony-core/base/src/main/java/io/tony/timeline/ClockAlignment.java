package io.tony.timeline;

import io.tony.event.JobFact;
import io.tony.model.JobEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Aligns all times of a job to one clock, that of the first ApplicationMaster's node. Later
 * ApplicationMasters, the ResourceManager and the client use other clocks, whose offsets are
 * unknown. But an effect cannot precede its cause: if times of another clock contradict this, all
 * times of that clock are shifted by the minimum that corrects it. All times are truncated to
 * milliseconds, so that durations add up.
 */
final class ClockAlignment {
  private final List<JobEvent> events = new ArrayList<>();
  private final List<String> remarks;

  /**
   * When the job was submitted. This time and those of the next three fields are aligned. The first
   * three are null if unknown.
   */
  private @Nullable Instant submitted;

  /** When the container of the first ApplicationMaster was launched. */
  private @Nullable Instant launched;

  /** When the JVM of the first ApplicationMaster started. */
  private @Nullable Instant process;

  /** Latest known time of the job: its end, or when it was last known to run. */
  private final Instant end;

  private ClockAlignment(List<JobEvent> rawEvents, YarnTimes yarnTimes, List<String> remarks) {
    this.remarks = remarks;
    Instant clientSubmission = alignEvents(rawEvents);
    this.end = alignYarnTimes(yarnTimes, clientSubmission);
  }

  static ClockAlignment of(List<JobEvent> events, YarnTimes yarnTimes, List<String> remarks) {
    return new ClockAlignment(events, yarnTimes, remarks);
  }

  /**
   * Aligns the events. Returns when the client submitted the job, by the client's clock; null if
   * the events do not contain this time.
   */
  private @Nullable Instant alignEvents(List<JobEvent> rawEvents) {
    Instant submission = null;
    LogClock clock = new LogClock(remarks::add);
    for (JobEvent event : rawEvents) {
      if (event.type() != JobEvent.Type.JOB_SUBMITTED) {
        events.add(clock.corrected(event));
      } else if (submission == null) {
        submission = event.time().truncatedTo(ChronoUnit.MILLIS);
      }
    }
    return submission;
  }

  /** Aligns the times of YARN. Returns the latest known time of the job. */
  private Instant alignYarnTimes(YarnTimes yarnTimes, @Nullable Instant clientSubmission) {
    Instant first = events.isEmpty() ? null : events.get(0).time();
    Instant last = events.isEmpty() ? null : events.get(events.size() - 1).time();
    boolean isComplete = first == null || events.get(0).type() == JobEvent.Type.AM_STARTED;
    JobFact.LaunchTimes origin = origin(isComplete && first != null);
    process = earlier(origin.processStartedAt(), first);
    if (!isComplete) {
      remarks.add("the events begin in the middle of the job: what was before is not shown");
    } else {
      submitted =
          yarnTimes.submitted() != null
              ? yarnTimes.submitted()
              : origin.submittedAt() != null ? origin.submittedAt() : clientSubmission;
      launched = yarnTimes.launched();
    }
    Duration shift = shift(process == null ? first : process, finished(), yarnTimes.finished());
    submitted = earlier(plus(submitted, shift), plus(launched, shift));
    launched = plus(launched, shift);
    Instant lastOfYarn =
        yarnTimes.finished() == null ? yarnTimes.lastSeen() : plus(yarnTimes.finished(), shift);
    Instant latest = later(later(lastOfYarn, last), launched == null ? submitted : launched);
    if (latest == null) {
      throw new IllegalArgumentException("neither an event nor a time of YARN's is known");
    }
    return latest;
  }

  private JobFact.LaunchTimes origin(boolean masterFirst) {
    return masterFirst
        ? JobFact.MasterStarted.of(events.get(0)).launchTimes()
        : JobFact.LaunchTimes.UNKNOWN;
  }

  /**
   * Returns when the ApplicationMaster recorded the end of the job; null if it recorded none, for
   * example because YARN killed it.
   */
  private @Nullable Instant finished() {
    return events.stream()
        .filter(event -> event.type() == JobEvent.Type.JOB_FINISHED)
        .map(JobEvent::time)
        .findFirst()
        .orElse(null);
  }

  /**
   * Returns the minimum offset to be added to the ResourceManager's times; negative if the
   * ResourceManager's clock is ahead.
   *
   * @param master when the ApplicationMaster started, which is after the launch of its container;
   *     null if unknown
   * @param masterFinished when the ApplicationMaster recorded the end of the job, which is before
   *     YARN ends the application; null if unknown
   * @param finished when YARN ended the application, not aligned; null if unknown
   */
  private Duration shift(
      @Nullable Instant master, @Nullable Instant masterFinished, @Nullable Instant finished) {
    Instant before = launched == null ? submitted : launched;
    Duration shift = Duration.ZERO;
    if (masterFinished != null && finished != null && finished.isBefore(masterFinished)) {
      shift = Duration.between(finished, masterFinished);
    }
    if (master != null && before != null && before.plus(shift).isAfter(master)) {
      shift = Duration.between(before, master);
    }
    if (shift.abs().compareTo(LogClock.MIN_CORRECTION) >= 0) {
      remarks.add(
          "the ResourceManager's clock is "
              + PreciseDuration.format(shift.abs())
              + " or more "
              + (shift.isNegative() ? "ahead of" : "behind")
              + " the master's; its times are moved by that");
    }
    return shift;
  }

  private static @Nullable Instant plus(@Nullable Instant at, Duration shift) {
    return at == null ? null : at.plus(shift);
  }

  /** Returns the later of two times; the other time if one is null; null if both are null. */
  private static @Nullable Instant later(@Nullable Instant one, @Nullable Instant other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.isAfter(other) ? one : other;
  }

  /** Returns the earlier of two times; {@code one} if either is null. */
  private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
    return one == null || other == null || one.isBefore(other) ? one : other;
  }

  /** Returns the aligned events, without the submission that the client reported. */
  List<JobEvent> events() {
    return events;
  }

  Instant begin() {
    if (submitted != null) {
      return submitted;
    }
    if (launched != null) {
      return launched;
    }
    return process != null ? process : events.isEmpty() ? end : events.get(0).time();
  }

  Instant end() {
    return end;
  }

  /**
   * Creates the sequence of the job's stages, with the stages before the first event; {@code
   * onClosed} receives each stage when it is over.
   */
  JobPhases phases(Consumer<Span> onClosed) {
    JobPhases phases = new JobPhases(firstStage(), begin(), onClosed);
    if (launched != null) {
      // If the start time of the JVM is unknown, the stage MASTER begins at the launch of the
      // container.
      phases.enter(
          process == null && !events.isEmpty() ? Stage.MASTER : Stage.LOCALIZING, launched);
    }
    if (process != null) {
      phases.enter(Stage.MASTER, process);
    }
    return phases;
  }

  private Stage firstStage() {
    if (submitted != null) {
      return Stage.QUEUED;
    }
    return events.isEmpty() ? Stage.QUEUED : stageOf(events.get(0).type());
  }

  /**
   * Returns the stage that the job must be in if an event of {@code type} is the first that is
   * known.
   */
  static Stage stageOf(JobEvent.Type type) {
    return switch (type) {
      case AM_STARTED, JOB_DESCRIBED -> Stage.MASTER;
      case GANG_REQUESTED, GANG_WAITING, GANG_RESIZED, TASK_ALLOCATED -> Stage.ALLOCATING;
      case GANG_BACKED_OFF -> Stage.BACKING_OFF;
      case TASK_REGISTERED, GANG_RESUMES, GANG_RUNNING -> Stage.LAUNCHING;
      case TASK_STARTED -> Stage.STARTING;
      case JOB_STOPPING, GOODPUT, ADVICE, JOB_FINISHED -> Stage.STOPPING;
      case JOB_SUBMITTED,
          TASK_PROGRESS,
          TASK_CHECKPOINT,
          CHECKPOINT_NOT_KEPT,
          TENSORBOARD,
          METRICS,
          STRAGGLER,
          TASK_HELD,
          SHELL,
          PREEMPTION_ANNOUNCED,
          TASK_STANDS,
          TASK_FAILED,
          FAILURE_PENDING,
          FIRST_CAUSE,
          TASK_SUCCEEDED,
          TASK_STOPPED,
          TASK_RESTARTED,
          GANG_RESTARTED,
          GANG_GROWS,
          NODE_AVOIDED,
          NODES_FORGIVEN,
          ROLE_EXCUSED,
          STOP_REQUESTED,
          LOG_BEHIND,
          LOG_CAUGHT_UP,
          UNKNOWN ->
          Stage.RUNNING;
    };
  }
}
