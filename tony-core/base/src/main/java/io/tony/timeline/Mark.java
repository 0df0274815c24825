package io.tony.timeline;

import java.time.Instant;

/**
 * A mark on the timeline: an event that explains the further course of a job.
 *
 * @param text a line for display; may contain text from a program
 */
public record Mark(Instant at, Kind kind, String text) {
  /** What happened to the job at the mark's time. */
  public enum Kind {
    /** A later ApplicationMaster took over the job. */
    MASTER,
    /** The gang was restarted. */
    GANG_RESTART,
    /** The number of tasks of a role changed. */
    RESIZE,
    /** A gang resumed from a checkpoint, or started from scratch although a checkpoint existed. */
    RESUME,
    /** One task was restarted, without its gang. */
    TASK_RESTART,
    /** A user or a program requested that the job end. */
    STOP
  }
}
