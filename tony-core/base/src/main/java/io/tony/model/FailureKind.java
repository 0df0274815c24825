package io.tony.model;

/** Kind of a failure, which determines the retry limit that applies (docs/failures.md). */
public enum FailureKind {
  /** The job was invalid; nothing was submitted. */
  INVALID,
  /** The program ended with a non-zero exit code, or by a signal that TonY did not send. */
  PROGRAM,
  /** A node, a container or an executor was lost. */
  LOST,
  /** YARN preempted the container for another queue or application. */
  PREEMPTED,
  /** The container exceeded its memory. */
  MEMORY,
  /** The ApplicationMaster's process or node died. */
  AM_LOST,
  /** A time limit was exceeded: allocation, registration or run time. */
  TIMEOUT,
  /** A user or an administrator asked to end the job. */
  KILLED,
  /** No failure: the gang restarts with more tasks. */
  RESIZED;

  /** Name of {@link #PROGRAM} in event logs of TonY 0.1.0. */
  private static final String OLD_NAME_OF_PROGRAM = "USER";

  /**
   * Returns the kind with this name. Also accepts names that earlier releases of TonY wrote to
   * event logs.
   *
   * @throws IllegalArgumentException if there is no kind with this name
   */
  public static FailureKind of(String name) {
    return name.equals(OLD_NAME_OF_PROGRAM) ? PROGRAM : valueOf(name);
  }
}
