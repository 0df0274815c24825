package io.tony.timeline;

import java.time.Instant;

/**
 * Something at a moment that explains what comes after it.
 *
 * @param text in a line; may hold what a program said
 */
public record Mark(Instant at, Kind kind, String text) {
  /** What it is. */
  public enum Kind {
    /** A later ApplicationMaster took the job over. */
    MASTER,
    /** The gang is started again. */
    GANG_RESTART,
    /** A role has another number of tasks from now on. */
    RESIZE,
    /** A gang goes on from a checkpoint, or starts clean though there is one. */
    RESUME,
    /** One task is started again. */
    TASK_RESTART,
    /** Somebody wants the job to end. */
    STOP
  }
}
