package io.tony.timeline;

import io.tony.fact.CheckpointFact;
import io.tony.fact.Fact;
import io.tony.fact.GangFact;
import io.tony.fact.JobFact;
import io.tony.fact.SizeFact;
import io.tony.fact.TaskFact;
import io.tony.fact.UsageFact;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.Reached;
import io.tony.model.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which part of a job's time trained and kept its result: the fold of its events, in the order of
 * its log. Each moment counts to the stage that the job was in; what is kept of the training {@link
 * Training} says. It needs memory for each task, not for each event.
 *
 * <p>{@code docs/goodput.md} defines what it counts.
 */
public final class GoodputFold {
  private enum Part {
    QUEUE,
    STARTING,
    TRAINING,
    STOPPING
  }

  /** The option that says so. */
  static final String RESUME = "tony.checkpoint.resume";

  private final LogClock clock = new LogClock(remark -> {});
  private final TaskAttempts attempts = new TaskAttempts(over -> {});
  private final Training training = new Training();
  private final Map<Part, Long> millis = new EnumMap<>(Part.class);
  private JobPhases phases; // null before the first event
  private Instant last; // null before anything is known
  private TaskId teller; // null while there is none
  private JobResult result; // null before it is decided
  private int restarts;

  /** Until when programs ran; null before they did. */
  private Instant ranUntil;

  /** The job's programs are never given what is kept of theirs. */
  private boolean neverResumes;

  /** Of a job that began when its first event says. */
  public GoodputFold() {}

  /** Of a job that began at this moment. */
  GoodputFold(Instant begin) {
    last = begin;
  }

  /**
   * One more event.
   *
   * @throws IllegalArgumentException when it lacks what its fact consists of
   */
  public void add(JobEvent told) {
    Optional<Fact> known = Fact.of(told);
    if (known.isPresent() && told.type() != JobEvent.Type.JOB_SUBMITTED) {
      Fact fact = known.get();
      JobEvent event = clock.straight(told);
      begin(event);
      passTo(event.time());
      attempts.add(event.time(), event.session(), fact);
      phases.add(event, fact, attempts);
      train(fact);
    }
  }

  private void begin(JobEvent event) {
    if (phases == null) {
      if (last == null) {
        last = OneClock.of(List.of(event), Outside.UNKNOWN, new ArrayList<>()).begin();
      }
      passTo(event.time());
      phases = new JobPhases(OneClock.stageOf(event.type()), event.time(), span -> {});
    }
  }

  private void passTo(Instant at) {
    long passed = Math.max(0, Duration.between(last, at).toMillis());
    Part part = part();
    millis.merge(part, passed, Long::sum);
    if (part == Part.TRAINING) {
      training.ran(passed);
    }
    last = at.isAfter(last) ? at : last;
    ranUntil = part == Part.TRAINING ? last : ranUntil;
  }

  private Part part() {
    return phases == null
        ? Part.QUEUE
        : switch (phases.stage()) {
          case QUEUED, LOCALIZING, MASTER, ALLOCATING, BACKING_OFF -> Part.QUEUE;
          case LAUNCHING, STARTING -> Part.STARTING;
          case WARMING_UP, RUNNING -> Part.TRAINING;
          case STOPPING, REPORTING -> Part.STOPPING;
        };
  }

  private void train(Fact fact) {
    if (fact instanceof TaskFact.Progressed progress) {
      progressed(progress);
    } else if (fact instanceof GangFact.Restarted gang) {
      restarts++;
      training.startedAgain(gang.kind());
    } else if (fact instanceof JobFact.Stopping stopping) {
      result = stopping.result();
    } else if (fact instanceof JobFact.Finished finished) {
      result = finished.result();
    } else if (fact instanceof JobFact.Described described) {
      neverResumes = "never".equals(described.description().options().get(RESUME));
    } else if (fact instanceof CheckpointFact.Kept kept) {
      kept(kept);
    } else if (fact instanceof CheckpointFact.Resumes resumes) {
      resumes(resumes);
    } else if (fact instanceof SizeFact.Resized resized) {
      // Another is to tell how far the job is: a task that is gone never will.
      teller = teller != null && resized.isGone(teller) ? null : teller;
    } else if (fact instanceof TaskFact.Restarted task && task.task().equals(teller)) {
      training.tellerStartedAgain();
    }
  }

  private void kept(CheckpointFact.Kept fact) {
    if (fact.whole() && !neverResumes && ranUntil != null) {
      training.kept(fact.set(), Duration.between(named(fact), ranUntil).toMillis());
    }
  }

  /** The clock of another node may be ahead, and what a program could write may be any time. */
  private Instant named(CheckpointFact.Kept fact) {
    Instant named = fact.named().isBefore(Instant.EPOCH) ? Instant.EPOCH : fact.named();
    return named.isAfter(ranUntil) ? ranUntil : named;
  }

  private void resumes(CheckpointFact.Resumes fact) {
    if (fact.task() == null) {
      training.resumes(fact.from() == null ? Training.NOTHING : fact.from().set());
    }
  }

  private void progressed(TaskFact.Progressed fact) {
    Optional<Reached> reached = Reached.in(fact.text());
    if (reached.isPresent() && (teller == null || teller.equals(fact.task()))) {
      teller = fact.task();
      training.progressed(reached.get());
    }
  }

  /** The task that tells the job's progress: the first one that told any; null while none did. */
  public TaskId teller() {
    return teller;
  }

  /** In which stage the job is since its last event. */
  public Stage stage() {
    return phases == null ? Stage.QUEUED : phases.stage();
  }

  /** Until the last event. */
  public UsageFact.Goodput now() {
    return at(last);
  }

  /** Until this moment, or the last event where that is later: of a job that runs, or has ended. */
  public UsageFact.Goodput at(Instant now) {
    return goodput(now, false);
  }

  /** Until this moment, at which the job was over although no event says so. */
  public UsageFact.Goodput lostAt(Instant end) {
    return goodput(end, true);
  }

  private UsageFact.Goodput goodput(Instant now, boolean cut) {
    long more =
        last == null
            ? 0
            : Math.max(0, Duration.between(last, now.truncatedTo(ChronoUnit.MILLIS)).toMillis());
    Part part = part();
    Training.Sum sum = training.sum(part == Part.TRAINING ? more : 0, failure(cut));
    return new UsageFact.Goodput(
        millis(Part.QUEUE, part, more),
        millis(Part.STARTING, part, more),
        sum.kept(),
        sum.lost(),
        millis(Part.STOPPING, part, more),
        restarts,
        sum.byProgress());
  }

  private long millis(Part wanted, Part current, long more) {
    return millis.getOrDefault(wanted, 0L) + (wanted == current ? more : 0);
  }

  /** What became of a job of which nothing tells that it kept what it trained; else null. */
  private FailureKind failure(boolean cut) {
    if (result == null) {
      // The ApplicationMaster could not tell it.
      return cut ? FailureKind.AM_LOST : null;
    }
    return result.status() == JobResult.Status.SUCCEEDED ? null : result.kind();
  }
}
