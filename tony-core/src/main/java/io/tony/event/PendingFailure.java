package io.tony.event;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.Objects;

/**
 * A program has failed, its words say that another task's end was why, and no retry is left. The
 * job does not end before YARN has had time to report the loss of that other task.
 *
 * @param failure becomes the task's own where no loss is reported
 * @param limitMs for how long that is waited for, in ms
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
