package io.tony.timeline;

import io.tony.fact.Fact;
import io.tony.fact.JobFact;
import io.tony.fact.SizeFact;
import io.tony.fact.TaskFact;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import java.time.Instant;
import java.util.function.Consumer;

/** The stages of a job, one after the other, event by event. */
final class JobPhases {
  private final Consumer<Span> closed;
  private Stage stage;
  private Instant since;
  private int session;
  private boolean progressed;
  private Instant lastAllocated;
  private int tasks;
  private JobResult result;

  /**
   * @param first in which stage it is from {@code since} on
   * @param closed takes each stage that is over
   */
  JobPhases(Stage first, Instant since, Consumer<Span> closed) {
    this.stage = first;
    this.since = since;
    this.closed = closed;
  }

  /** {@code attempts} know of the event already. */
  void add(JobEvent event, Fact fact, TaskAttempts attempts) {
    Instant at = event.time();
    switch (event.type()) {
      case AM_STARTED -> tasks = ((JobFact.MasterStarted) fact).tasks();
      case GANG_REQUESTED -> turn(Stage.ALLOCATING, at);
      case GANG_BACKED_OFF -> turn(Stage.BACKING_OFF, at);
      case TASK_ALLOCATED -> {
        lastAllocated = at;
        if (stage == Stage.ALLOCATING && attempts.pending() == 0) {
          turn(Stage.LAUNCHING, at);
        }
      }
      case GANG_RUNNING -> complete(at, attempts);
      case TASK_STARTED, TASK_FAILED, TASK_SUCCEEDED, TASK_STOPPED -> whenStarted(at, attempts);
      case TASK_PROGRESS -> progress(at);
      case TASK_RESTARTED -> {
        // In a gang that runs, the others run on.
        if (stage == Stage.LAUNCHING && !((TaskFact.Restarted) fact).alone()) {
          turn(gathering(attempts), at);
        }
      }
      case GANG_RESIZED -> {
        tasks += ((SizeFact.Resized) fact).more();
        if (stage == Stage.ALLOCATING) {
          turn(gathering(attempts), at);
        }
      }
      case GANG_RESTARTED -> {
        Stage next = gathering(attempts);
        close(at);
        session = event.session() + 1;
        progressed = false;
        stage = next;
      }
      case JOB_STOPPING -> turn(Stage.STOPPING, at);
      case JOB_FINISHED -> {
        turn(Stage.REPORTING, at);
        result = ((JobFact.Finished) fact).result();
      }
      case JOB_SUBMITTED,
          JOB_DESCRIBED,
          GANG_WAITING,
          FAILURE_PENDING,
          FIRST_CAUSE,
          TASK_REGISTERED,
          GANG_RESUMES,
          TASK_CHECKPOINT,
          CHECKPOINT_NOT_KEPT,
          TENSORBOARD,
          PREEMPTION_ANNOUNCED,
          GANG_GROWS,
          TASK_STANDS,
          METRICS,
          NODE_AVOIDED,
          NODES_FORGIVEN,
          ROLE_EXCUSED,
          STOP_REQUESTED,
          LOG_BEHIND,
          LOG_CAUGHT_UP,
          STRAGGLER,
          TASK_HELD,
          SHELL,
          GOODPUT,
          ADVICE,
          UNKNOWN -> {}
    }
  }

  private static Stage gathering(TaskAttempts attempts) {
    return attempts.pending() > 0 ? Stage.ALLOCATING : Stage.LAUNCHING;
  }

  private void complete(Instant at, TaskAttempts attempts) {
    // In a log with a gap a container may seem to be missing.
    if (stage == Stage.ALLOCATING && lastAllocated != null && !lastAllocated.isBefore(since)) {
      turn(Stage.LAUNCHING, lastAllocated);
    }
    turn(Stage.STARTING, at);
    whenStarted(at, attempts);
  }

  private void whenStarted(Instant at, TaskAttempts attempts) {
    if (stage == Stage.STARTING && attempts.gathered() == 0) {
      turn(Stage.RUNNING, at);
    }
  }

  private void progress(Instant at) {
    if (!progressed && stage == Stage.RUNNING) {
      stage = Stage.WARMING_UP;
      turn(Stage.RUNNING, at);
    }
    progressed = true;
  }

  void turn(Stage next, Instant at) {
    if (next != stage) {
      close(at);
      stage = next;
    }
  }

  /** What took no time is left out. */
  private void close(Instant at) {
    if (at.isAfter(since)) {
      closed.accept(new Span(stage, session, since, at));
      since = at;
    }
  }

  /** Null before the end was told. */
  JobResult result() {
    return result;
  }

  /** By the ApplicationMaster; 0 before it was told. */
  int tasks() {
    return tasks;
  }

  /** In which the job is now. */
  Stage stage() {
    return stage;
  }

  /** The last stage is over. */
  void end(Instant at) {
    close(at);
  }
}
