package io.tony.am.scheduler;

/** What the exit status of a container's process says, where nobody else has said more. */
public final class ExitCodes {
  /** Of a process that SIGKILL has ended, as a shell has it. */
  public static final int SIGKILL = 137;

  private static final int SIGTERM = 143;

  private ExitCodes() {}

  public static String words(int status) {
    return switch (status) {
      case SIGKILL -> "the executor was killed (SIGKILL)";
      case SIGTERM -> "the executor was ended (SIGTERM)";
      default -> "the container ended with status " + status;
    };
  }
}
