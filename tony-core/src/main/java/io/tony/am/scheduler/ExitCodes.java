package io.tony.am.scheduler;

import io.tony.am.machine.Event.ContainerEnd;
import io.tony.config.TonyConfig;
import io.tony.container.JvmStartFailure;
import io.tony.model.FailureKind;
import java.util.Optional;

/** Meaning of a container's exit status, if neither the executor nor the scheduler reports more. */
public final class ExitCodes {
  /** Exit status of a process killed by SIGKILL, in a shell's convention. */
  public static final int SIGKILL = 137;

  private static final int SIGTERM = 143;

  private static final int JVM_START_FAILED = 1;

  /** Exit statuses of a shell that cannot execute a file, and that cannot find it. */
  private static final int NOT_EXECUTABLE = 126;

  private static final int NOT_FOUND = 127;

  private ExitCodes() {}

  /**
   * Returns the end of an executor whose JVM did not start; the cause is INVALID if the configured
   * JVM options prevent the start, because a retry would fail, too.
   *
   * @param stderr last lines of the process's stderr, which may state the reason
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
