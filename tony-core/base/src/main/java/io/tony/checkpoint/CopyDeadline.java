package io.tony.checkpoint;

import java.time.Duration;

/**
 * Extra time that TonY adds to the time limit for copying checkpoints to the cluster's file system
 * after the program's end.
 */
public final class CopyDeadline {
  /**
   * Time that the ApplicationMaster allows in addition to {@code tony.checkpoint.copy-timeout}: for
   * the executor's final report, and for a node's file system that does not respond.
   */
  public static final Duration SLACK = Duration.ofSeconds(5);

  private CopyDeadline() {}
}
