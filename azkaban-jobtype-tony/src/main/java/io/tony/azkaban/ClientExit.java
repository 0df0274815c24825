package io.tony.azkaban;

/**
 * The meaning, for the job, of the exit code of TonY's client. A code counts only if it agrees with
 * the status file that the client wrote last, because a crash or a wrapper script can end with the
 * same code.
 */
enum ClientExit {
  SUCCEEDED(0, "the job succeeded", "|SUCCEEDED"),
  PROGRAM(1, "the program failed", "FAILED"),
  INVALID(2, "the job is not valid", "|FAILED|KILLED"),
  INFRASTRUCTURE(3, "the cluster failed the job, not the program", "|FAILED|KILLED"),
  KILLED_BY_OTHERS(4, "someone else killed the application", "FAILED|KILLED"),
  TIMEOUT(5, "a time limit was reached", "FAILED|KILLED"),
  INTERRUPTED(
      130, "the client was interrupted and stopped the application", "|SUCCEEDED|FAILED|KILLED"),
  TERMINATED(
      143, "the client was terminated and stopped the application", "|SUCCEEDED|FAILED|KILLED"),
  /**
   * Any other exit code, or one that contradicts the status file. The application may still be
   * running.
   */
  UNKNOWN(6, "TonY's client ended without knowing how the job did", "-");

  private final int code;
  private final String meaning;
  private final String states;

  /**
   * Defines an exit code and its meaning.
   *
   * @param states regular expression of the application states that agree with the exit code; the
   *     empty state means that no application was submitted
   */
  ClientExit(int code, String meaning, String states) {
    this.code = code;
    this.meaning = meaning;
    this.states = states;
  }

  static ClientExit of(int code, ClientStatus status) {
    String state = status.applicationId().isPresent() ? status.state().orElse("unknown") : "";
    for (ClientExit exit : values()) {
      if (exit.code == code && state.matches(exit.states)) {
        return exit;
      }
    }
    return UNKNOWN;
  }

  String meaning() {
    return meaning;
  }
}
