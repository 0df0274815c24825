package io.tony.checkpoint;

import java.time.Duration;

/** When the copies of checkpoints end that a program has left. */
public final class CopyDeadline {
  /**
   * After their limit at most: for what is told at the end, and for a look that hangs in the
   * program's file system.
   */
  public static final Duration SLACK = Duration.ofSeconds(5);

  private CopyDeadline() {}
}
