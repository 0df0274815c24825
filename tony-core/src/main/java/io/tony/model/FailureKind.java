package io.tony.model;

/** Why something failed, as far as it decides who retries it (docs/failures.md). */
public enum FailureKind {
  /** The request itself is wrong; nothing was submitted. */
  INVALID,
  /** The program ended with a non-zero exit code or a signal of its own. */
  PROGRAM,
  /** A node, a container or an executor was lost. */
  LOST,
  /** YARN took the container back for another queue or application. */
  PREEMPTED,
  /** The container used more memory than it had asked for. */
  MEMORY,
  /** The ApplicationMaster's process or node died. */
  AM_LOST,
  /** A limit of time passed: allocation, registration or run time. */
  TIMEOUT,
  /** Somebody asked for the end. */
  KILLED,
  /** None: the gang goes on with more tasks. */
  RESIZED;

  /** What release 0.1.0 wrote for {@link #PROGRAM}. */
  private static final String OLD_NAME_OF_PROGRAM = "USER";

  /** The kind of this name, also as an earlier release wrote it in a log. */
  public static FailureKind of(String name) {
    return name.equals(OLD_NAME_OF_PROGRAM) ? PROGRAM : valueOf(name);
  }
}
