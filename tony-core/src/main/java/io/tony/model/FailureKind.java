package io.tony.model;

/** Why something failed, as far as it decides who retries it (docs: the table of failures). */
public enum FailureKind {
  /** The request itself is wrong; nothing was submitted. */
  INVALID,
  /** The user's program ended with a non-zero exit code or a signal of its own. */
  USER,
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
  RESIZED
}
