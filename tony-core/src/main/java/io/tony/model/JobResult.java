package io.tony.model;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * How a job ended.
 *
 * @param kind null exactly when the status is SUCCEEDED
 * @param message one sentence for a person: what failed, with the limit and the remedy
 * @param task the task that decided the failure; null when none did
 * @param exitCode of that task's program; null when it has none
 */
public record JobResult(
    Status status, FailureKind kind, String message, TaskId task, Integer exitCode) {

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

  public static JobResult succeeded(String message) {
    return new JobResult(Status.SUCCEEDED, null, message, null, null);
  }

  public static JobResult failed(FailureKind kind, String message) {
    return new JobResult(Status.FAILED, kind, message, null, null);
  }

  public static JobResult killed(String message) {
    return new JobResult(Status.KILLED, FailureKind.KILLED, message, null, null);
  }

  /** What JOB_STOPPING and JOB_FINISHED tell of it. */
  public Map<String, String> details() {
    Map<String, String> details = new LinkedHashMap<>();
    details.put("status", status.name());
    if (kind != null) {
      details.put("kind", kind.name());
    }
    if (task != null) {
      details.put("task", task.toString());
    }
    if (exitCode != null) {
      details.put("exitCode", exitCode.toString());
    }
    details.put("message", message);
    return details;
  }

  /** The result that JOB_STOPPING or JOB_FINISHED tells. */
  public static JobResult told(JobEvent event) {
    String kind = event.detail("kind");
    String task = event.detail("task");
    String exitCode = event.detail("exitCode");
    return new JobResult(
        Status.valueOf(event.detail("status")),
        kind.isEmpty() ? null : FailureKind.valueOf(kind),
        event.detail("message"),
        task.isEmpty() ? null : TaskId.parse(task),
        exitCode.isEmpty() ? null : Integer.valueOf(exitCode));
  }
}
