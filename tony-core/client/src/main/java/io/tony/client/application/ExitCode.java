package io.tony.client.application;

import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import java.util.Objects;

/** Exit codes of the {@code tony} command. The user documentation explains how a flow sees them. */
public enum ExitCode {
  SUCCEEDED(0),
  PROGRAM_FAILED(1),
  INVALID(2),
  INFRASTRUCTURE(3),
  KILLED_BY_OTHERS(4),
  TIMEOUT(5),
  /** The client does not know whether the job has ended. */
  END_UNKNOWN(6),
  INTERRUPTED(130),
  TERMINATED(143);

  private final int code;

  ExitCode(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  public static ExitCode of(JobResult result) {
    return switch (result.status()) {
      case SUCCEEDED -> SUCCEEDED;
      case KILLED -> KILLED_BY_OTHERS;
      case FAILED -> of(Objects.requireNonNull(result.kind()));
    };
  }

  private static ExitCode of(FailureKind kind) {
    return switch (kind) {
      case PROGRAM, MEMORY -> PROGRAM_FAILED;
      case INVALID -> INVALID;
      case LOST, PREEMPTED, AM_LOST -> INFRASTRUCTURE;
      case TIMEOUT -> TIMEOUT;
      case KILLED -> KILLED_BY_OTHERS;
      case RESIZED -> throw new IllegalArgumentException("no job ends with " + kind);
    };
  }
}
