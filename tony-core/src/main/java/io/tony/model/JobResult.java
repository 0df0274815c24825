package io.tony.model;

import java.util.Objects;

/**
 * How a job ended.
 *
 * @param kind null exactly when the status is SUCCEEDED
 * @param message one sentence for a person: what failed, with the limit and the remedy
 * @param task the task that decided the failure; null when none did
 * @param exitCode of that task's program; null when it has none
 * @param futile whether another start of the same job would end the same way
 */
public record JobResult(
    Status status,
    FailureKind kind,
    String message,
    TaskId task,
    Integer exitCode,
    boolean futile) {

  /** The three ends that YARN knows. */
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

  /** One that another start may change. */
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
