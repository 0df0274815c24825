package io.tony.event;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.Objects;

/**
 * A user's program failed, the last lines of its output name the end of another task as the cause,
 * and no retry is left. The job waits before it ends, so that YARN can report the loss of that
 * other task.
 *
 * @param failure the failure to record if YARN does not report the loss
 * @param limitMs maximum time to wait for YARN's report, in milliseconds
 */
public record PendingFailure(TaskFact.Failed failure, long limitMs) implements Fact {
  public PendingFailure {
    Objects.requireNonNull(failure, "failure");
  }

  @Override
  public TaskId task() {
    return failure.task();
  }

  @Override
  public JobEvent.Type type() {
    return JobEvent.Type.FAILURE_PENDING;
  }

  @Override
  public Details details() {
    return failure.details().with("limit", limitMs);
  }

  public static PendingFailure of(JobEvent event) {
    return new PendingFailure(TaskFact.Failed.of(event), Details.of(event).longNumber("limit"));
  }
}
