package io.tony.am.scheduler;

import io.tony.am.machine.Event.ContainerEnd;
import io.tony.config.TonyConfig;
import io.tony.container.JvmStartFailure;
import io.tony.model.FailureKind;
import java.util.Optional;

/**
 * Explains a container's exit status if neither the executor nor the scheduler has reported more.
 */
public final class ExitCodes {
  /** Exit status with which a shell reports a process that was killed by SIGKILL. */
  public static final int SIGKILL = 137;

  private static final int SIGTERM = 143;

  private static final int JVM_START_FAILED = 1;

  /**
   * Exit status with which a shell reports that it cannot execute a file; for a file that it cannot
   * find, the status is {@link #NOT_FOUND}.
   */
  private static final int NOT_EXECUTABLE = 126;

  private static final int NOT_FOUND = 127;

  private ExitCodes() {}

  /**
   * Returns the end of an executor whose JVM did not start; empty if its JVM did start. The end is
   * INVALID if the configured JVM options prevent the start, because a retry would fail, too.
   *
   * @param stderr last lines of the process's stderr, which may contain the reason
   */
  public static Optional<ContainerEnd> startFailure(TonyConfig config, int status, String stderr) {
    return (status == JVM_START_FAILED || status == NOT_FOUND || status == NOT_EXECUTABLE)
        ? JvmStartFailure.ofExecutor(config, stderr)
            .map(
                failure ->
                    new ContainerEnd(
                        failure.causedByOptions() ? FailureKind.INVALID : FailureKind.LOST,
                        failure.sentence()))
        : Optional.empty();
  }

  public static String message(int status) {
    return switch (status) {
      case SIGKILL -> "the executor was killed (SIGKILL)";
      case SIGTERM -> "the executor was ended (SIGTERM)";
      default -> "the container ended with status " + status;
    };
  }
}
