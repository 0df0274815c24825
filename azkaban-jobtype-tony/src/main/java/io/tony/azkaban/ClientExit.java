package io.tony.azkaban;

/**
 * How the client's JVM ended: the exit codes of the {@code tony} command and their meaning for the
 * job. An exit code counts only if the client's last status file agrees with it, because a crash or
 * a wrapper script can end with the same code.
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
   * Any other code, or a code that contradicts the status file: the application may still be
   * running.
   */
  UNKNOWN(6, "TonY's client ended without knowing how the job did", "-");

  private final int code;
  private final String meaning;
  private final String states;

  /**
   * Creates a constant.
   *
   * @param states a pattern of the allowed application states; its empty alternative means that no
   *     application was submitted
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
