package io.tony.model;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a job ended.
 *
 * @param kind kind of the failure; null exactly if the status is {@link Status#SUCCEEDED}
 * @param message one sentence for users: what failed, which limit applied, and the remedy
 * @param task task whose failure ended the job; null if there is none
 * @param exitCode exit code of that task's program; null if there is none
 * @param futile whether another run of the same job would end the same way
 */
public record JobResult(
    Status status,
    @Nullable FailureKind kind,
    String message,
    @Nullable TaskId task,
    @Nullable Integer exitCode,
    boolean futile) {

  /** Final states of an application in YARN. */
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

  /** Creates a result whose {@code futile} is false. */
  public JobResult(
      Status status,
      @Nullable FailureKind kind,
      String message,
      @Nullable TaskId task,
      @Nullable Integer exitCode) {
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
