package io.tony.model;

import java.util.Objects;

/**
 * How a job ended.
 *
 * @param kind null exactly if the status is {@link Status#SUCCEEDED}
 * @param message one sentence for users: what failed, the limit and the remedy
 * @param task task that decided the failure; null if no task did
 * @param exitCode exit code of that task's program; null if there is none
 * @param futile whether another run of the same job would end the same way
 */
public record JobResult(
    Status status,
    FailureKind kind,
    String message,
    TaskId task,
    Integer exitCode,
    boolean futile) {

  /** The three final states that YARN knows. */
  public enum Status {
    SUCCEEDED,
    FAILED,
    KILLED
  }

  public JobResult {
    Objects.requireNonNull(message, "message");
    if ((status == Status.SUCCEEDED) != (kind == null)) {
      throw new IllegalArgumentException(status + " with failure kind " + kind);
    }
  }

  /** Creates a result that another run of the job may change: {@code futile} is false. */
  public JobResult(Status status, FailureKind kind, String message, TaskId task, Integer exitCode) {
    this(status, kind, message, task, exitCode, false);
  }

  public static JobResult succeeded(String message) {
    return new JobResult(Status.SUCCEEDED, null, message, null, null);
  }

  public static JobResult failed(FailureKind kind, String message) {
    return new JobResult(Status.FAILED, kind, message, null, null);
  }

  public static JobResult killed(String message) {
    return new JobResult(Status.KILLED, FailureKind.KILLED, message, null, null);
  }
}
