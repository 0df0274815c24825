package io.tony.checkpoint;

import java.time.Duration;

/**
 * Time limit for copying the last checkpoints of a program to the cluster's file system after the
 * program's end.
 */
public final class CopyDeadline {
  /**
   * Time allowed in addition to {@code tony.checkpoint.copy-timeout}: for the final report to the
   * ApplicationMaster, and for a file system of the program that does not respond.
   */
  public static final Duration SLACK = Duration.ofSeconds(5);

  private CopyDeadline() {}
}
