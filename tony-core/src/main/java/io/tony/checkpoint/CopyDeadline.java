package io.tony.checkpoint;

import java.time.Duration;

/** Limit for copying the checkpoints that a program has left when it ends. */
public final class CopyDeadline {
  /**
   * Extra time beyond {@code tony.checkpoint.copy-timeout}: for the final report to the
   * ApplicationMaster, and for a look into the program's file system that hangs.
   */
  public static final Duration SLACK = Duration.ofSeconds(5);

  private CopyDeadline() {}
}
