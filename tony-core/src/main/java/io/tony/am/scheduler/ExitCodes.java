package io.tony.am.scheduler;

import io.tony.am.machine.Event.ContainerEnd;
import io.tony.config.TonyConfig;
import io.tony.container.JvmStartFailure;
import io.tony.model.FailureKind;
import java.util.Optional;

/** What the exit status of a container's process says, where nobody else has said more. */
public final class ExitCodes {
  /** Of a process that SIGKILL has ended, as a shell has it. */
  public static final int SIGKILL = 137;

  private static final int SIGTERM = 143;

  private static final int JVM_START_FAILED = 1;

  /** How a shell ends that cannot execute a file, and that finds none. */
  private static final int NOT_EXECUTABLE = 126;

  private static final int NOT_FOUND = 127;

  private ExitCodes() {}

  /**
   * The end of an executor whose JVM did not start: no other start helps against its options.
   *
   * @param stderr the last lines of it, where it says so
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
