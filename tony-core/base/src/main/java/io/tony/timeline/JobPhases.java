package io.tony.timeline;

import io.tony.event.Fact;
import io.tony.event.JobFact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Computes the sequence of a job's stages from its events. Not thread-safe. */
final class JobPhases {
  private final Consumer<Span> onClosed;
  private Stage stage;
  private Instant since;
  private int session;
  private boolean progressed;
  private @Nullable Instant lastAllocated;
  private int tasks;
  private @Nullable JobResult result;

  /**
   * The job begins with the stage {@code first} at {@code since}. {@code onClosed} receives each
   * stage when it is over.
   */
  JobPhases(Stage first, Instant since, Consumer<Span> onClosed) {
    this.stage = first;
    this.since = since;
    this.onClosed = onClosed;
  }

  /**
   * Adds the next event.
   *
   * @param fact the fact that the event records
   * @param attempts attempts of the tasks, to which this fact was already added
   */
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
    // While the gang runs, the restart of one task changes no stage: the other tasks keep running.
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
    // The gang is complete now. If the stage is still ALLOCATING, the log has a gap in which an
    // allocation was recorded; then take the last known allocation as the end of this stage.
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

  /** Reports the current stage as over at {@code at}, unless it has no duration. */
  private void close(Instant at) {
    if (at.isAfter(since)) {
      onClosed.accept(new Span(stage, session, since, at));
      since = at;
    }
  }

  /** Returns the result of the job; null before the job has finished. */
  @Nullable JobResult result() {
    return result;
  }

  /** Returns the number of tasks that the ApplicationMaster reported; 0 if it is unknown. */
  int tasks() {
    return tasks;
  }

  Stage stage() {
    return stage;
  }

  /** Ends the last stage at {@code at}. */
  void end(Instant at) {
    close(at);
  }
}
