package io.tony.timeline;

import io.tony.event.Fact;
import io.tony.event.JobFact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import java.time.Instant;
import java.util.function.Consumer;

/** The stages of a job, one after the other, event by event. */
final class JobPhases {
  private final Consumer<Span> onClosed;
  private Stage stage;
  private Instant since;
  private int session;
  private boolean progressed;
  private Instant lastAllocated;
  private int tasks;
  private JobResult result;

  /**
   * @param first in which stage it is from {@code since} on
   * @param onClosed takes each stage that is over
   */
  JobPhases(Stage first, Instant since, Consumer<Span> onClosed) {
    this.stage = first;
    this.since = since;
    this.onClosed = onClosed;
  }

  /** {@code attempts} know of the event already. */
  void add(JobEvent event, Fact fact, TaskAttempts attempts) {
    Instant at = event.time();
    switch (event.type()) {
      case AM_STARTED -> tasks = ((JobFact.MasterStarted) fact).taskCount();
      case GANG_REQUESTED -> enter(Stage.ALLOCATING, at);
      case GANG_BACKED_OFF -> enter(Stage.BACKING_OFF, at);
      case TASK_ALLOCATED -> onAllocated(at, attempts);
      case GANG_RUNNING -> completeGang(at, attempts);
      case TASK_STARTED, TASK_FAILED, TASK_SUCCEEDED, TASK_STOPPED ->
          enterRunningIfStarted(at, attempts);
      case TASK_PROGRESS -> progress(at);
      case TASK_RESTARTED -> onRestarted((TaskFact.Restarted) fact, at, attempts);
      case GANG_RESIZED -> onResized((ResizeFact.Resized) fact, at, attempts);
      case GANG_RESTARTED -> beginSession(event.session() + 1, at, attempts);
      case JOB_STOPPING -> enter(Stage.STOPPING, at);
      case JOB_FINISHED -> {
        enter(Stage.REPORTING, at);
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

  private void onAllocated(Instant at, TaskAttempts attempts) {
    lastAllocated = at;
    if (stage == Stage.ALLOCATING && attempts.pendingContainers() == 0) {
      enter(Stage.LAUNCHING, at);
    }
  }

  private void onRestarted(TaskFact.Restarted restarted, Instant at, TaskAttempts attempts) {
    // While the gang runs, the restart of one task changes no phase: the other tasks run on.
    if (stage == Stage.LAUNCHING && !restarted.alone()) {
      enter(gatheringStage(attempts), at);
    }
  }

  private void onResized(ResizeFact.Resized resized, Instant at, TaskAttempts attempts) {
    tasks += resized.taskCountChange();
    if (stage == Stage.ALLOCATING) {
      enter(gatheringStage(attempts), at);
    }
  }

  private void beginSession(int nextSession, Instant at, TaskAttempts attempts) {
    Stage next = gatheringStage(attempts);
    close(at);
    session = nextSession;
    progressed = false;
    stage = next;
  }

  private static Stage gatheringStage(TaskAttempts attempts) {
    return attempts.pendingContainers() > 0 ? Stage.ALLOCATING : Stage.LAUNCHING;
  }

  private void completeGang(Instant at, TaskAttempts attempts) {
    // In a log with a gap a container may seem to be missing.
    if (stage == Stage.ALLOCATING && lastAllocated != null && !lastAllocated.isBefore(since)) {
      enter(Stage.LAUNCHING, lastAllocated);
    }
    enter(Stage.STARTING, at);
    enterRunningIfStarted(at, attempts);
  }

  private void enterRunningIfStarted(Instant at, TaskAttempts attempts) {
    if (stage == Stage.STARTING && attempts.waitingExecutors() == 0) {
      enter(Stage.RUNNING, at);
    }
  }

  private void progress(Instant at) {
    if (!progressed && stage == Stage.RUNNING) {
      stage = Stage.WARMING_UP;
      enter(Stage.RUNNING, at);
    }
    progressed = true;
  }

  void enter(Stage next, Instant at) {
    if (next != stage) {
      close(at);
      stage = next;
    }
  }

  /** What took no time is left out. */
  private void close(Instant at) {
    if (at.isAfter(since)) {
      onClosed.accept(new Span(stage, session, since, at));
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
