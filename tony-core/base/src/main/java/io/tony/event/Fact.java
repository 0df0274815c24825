package io.tony.event;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a job. The event log contains each fact as a {@link JobEvent}; the
 * record class of a fact converts it to this event and back. {@code docs/event-log.md} describes
 * all events.
 */
public sealed interface Fact
    permits JobFact,
        GangFact,
        TaskFact,
        UsageFact,
        CheckpointFact,
        AccessFact,
        RootCause,
        PendingFailure,
        PreemptionAnnounced,
        ResizeFact,
        HangLocation {

  /** Returns the type of the event that records this fact. */
  JobEvent.Type type();

  /** Returns the task that the fact is about; null for a fact about the whole job. */
  default @Nullable TaskId task() {
    return null;
  }

  /**
   * Returns the values that the event of this fact contains in addition to its type, task, time and
   * session.
   */
  Details details();

  /**
   * Returns the event that records this fact.
   *
   * @param session number of the start of the gang during which the fact happened, from 0
   */
  default JobEvent toEvent(Instant time, int session) {
    return new JobEvent(time, type(), session, task(), details().entries());
  }

  /**
   * Returns the fact that {@code event} records; empty if this version of TonY does not know the
   * type of the event.
   *
   * @throws IllegalArgumentException if a detail is missing or malformed; the message names the
   *     detail
   */
  static Optional<Fact> of(JobEvent event) {
    return Optional.ofNullable(
        switch (event.type()) {
          case JOB_SUBMITTED -> JobFact.Submitted.of(event);
          case AM_STARTED -> JobFact.MasterStarted.of(event);
          case JOB_DESCRIBED -> JobFact.Described.of(event);
          case NODE_AVOIDED -> JobFact.NodeAvoided.of(event);
          case NODES_FORGIVEN -> new JobFact.NodesForgiven();
          case ROLE_EXCUSED -> JobFact.RoleExcused.of(event);
          case STOP_REQUESTED -> JobFact.StopRequested.of(event);
          case METRICS -> JobFact.UsageReport.of(event);
          case ADVICE -> JobFact.Advice.of(event);
          case STRAGGLER -> UsageFact.Straggler.of(event);
          case GOODPUT -> UsageFact.Goodput.of(event);
          case LOG_BEHIND -> JobFact.LogBehind.of(event);
          case LOG_CAUGHT_UP -> new JobFact.LogCaughtUp();
          case JOB_STOPPING -> JobFact.Stopping.of(event);
          case JOB_FINISHED -> JobFact.Finished.of(event);
          case GANG_REQUESTED -> GangFact.Requested.of(event);
          case GANG_WAITING -> GangFact.Waiting.of(event);
          case GANG_BACKED_OFF -> GangFact.BackedOff.of(event);
          case GANG_RESUMES -> CheckpointFact.ResumeDecision.of(event);
          case GANG_RUNNING -> new GangFact.Running();
          case GANG_RESTARTED -> GangFact.Restarted.of(event);
          case GANG_GROWS -> ResizeFact.ScaleUpPlanned.of(event);
          case GANG_RESIZED -> ResizeFact.Resized.of(event);
          case TASK_ALLOCATED -> TaskFact.Allocated.of(event);
          case TASK_REGISTERED -> TaskFact.Registered.of(event);
          case TASK_STARTED -> TaskFact.Started.of(event);
          case TASK_PROGRESS -> TaskFact.Progressed.of(event);
          case TASK_CHECKPOINT -> CheckpointFact.CheckpointSaved.of(event);
          case CHECKPOINT_NOT_KEPT -> CheckpointFact.CheckpointNotSaved.of(event);
          case TENSORBOARD -> TaskFact.TensorBoard.of(event);
          case TASK_HELD -> AccessFact.ContainerHeld.of(event);
          case SHELL -> AccessFact.ShellSession.of(event);
          case PREEMPTION_ANNOUNCED -> PreemptionAnnounced.of(event);
          case FAILURE_PENDING -> PendingFailure.of(event);
          case TASK_FAILED -> TaskFact.Failed.of(event);
          case TASK_STANDS -> HangLocation.of(event);
          case FIRST_CAUSE -> RootCause.of(event);
          case TASK_SUCCEEDED -> TaskFact.Succeeded.of(event);
          case TASK_STOPPED -> TaskFact.Stopped.of(event);
          case TASK_RESTARTED -> TaskFact.Restarted.of(event);
          case UNKNOWN -> null;
        });
  }
}
