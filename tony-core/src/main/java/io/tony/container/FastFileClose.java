package io.tony.container;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys.BlockWrite;

/**
 * Shortens the time for closing HDFS files. A file can be closed only after a DataNode has reported
 * its last block to the NameNode, often some milliseconds after the writer's first attempt. HDFS's
 * default retries after 400 ms, then after twice as long, and so on, which would delay the first
 * container and the next step.
 */
public final class FastFileClose {
  /**
   * HDFS's initial retry delay is halved this many times, and as many retries are added, so that
   * the total wait stays the same.
   */
  private static final int HALVINGS = 6;

  private FastFileClose() {}

  /** Applies to file systems that are opened with this configuration afterwards. */
  public static void applyTo(Configuration conf) {
    int delay =
        conf.getInt(
            BlockWrite.LOCATEFOLLOWINGBLOCK_INITIAL_DELAY_MS_KEY,
            BlockWrite.LOCATEFOLLOWINGBLOCK_INITIAL_DELAY_MS_DEFAULT);
    int retries =
        conf.getInt(
            BlockWrite.LOCATEFOLLOWINGBLOCK_RETRIES_KEY,
            BlockWrite.LOCATEFOLLOWINGBLOCK_RETRIES_DEFAULT);
    conf.setInt(
        BlockWrite.LOCATEFOLLOWINGBLOCK_INITIAL_DELAY_MS_KEY, Math.max(1, delay >> HALVINGS));
    conf.setInt(BlockWrite.LOCATEFOLLOWINGBLOCK_RETRIES_KEY, retries + HALVINGS);
  }
}
