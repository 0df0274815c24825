package io.tony.azkaban;

/**
 * How the client's JVM ended: the exit codes of the {@code tony} command, and what each one means
 * for the job.
 */
enum ClientExit {
  SUCCEEDED(0, "the job succeeded"),
  USER(1, "the program failed"),
  INVALID(2, "the job is not valid and was never submitted"),
  INFRASTRUCTURE(3, "the cluster failed the job, not the program"),
  KILLED_BY_OTHERS(4, "someone else killed the application"),
  TIMEOUT(5, "a time limit was reached"),
  INTERRUPTED(130, "the client was interrupted and stopped the application"),
  TERMINATED(143, "the client was terminated and stopped the application"),
  /** Any other code: the client crashed or was killed, and its application may live on. */
  DIED(-1, "TonY's client died");

  private final int code;
  private final String meaning;

  ClientExit(int code, String meaning) {
    this.code = code;
    this.meaning = meaning;
  }

  static ClientExit of(int code) {
    for (ClientExit exit : values()) {
      if (exit.code == code && exit != DIED) {
        return exit;
      }
    }
    return DIED;
  }

  /** False when only YARN knows whether the application still runs. */
  boolean applicationIsFinished() {
    return this != DIED;
  }

  String meaning() {
    return meaning;
  }
}
