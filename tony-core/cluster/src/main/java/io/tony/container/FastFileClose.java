package io.tony.container;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys.BlockWrite;

/**
 * Shortens the time for closing HDFS files. A file can be closed only after a DataNode has reported
 * the file's last block to the NameNode, which often happens some milliseconds after the first
 * attempt. By default the HDFS client waits 400 ms before the second attempt and doubles the wait
 * for each further one, which would delay the start of a job.
 */
public final class FastFileClose {
  /**
   * How often HDFS's initial retry delay is halved. As many retries are added, so that the total
   * wait stays the same.
   */
  private static final int HALVINGS = 6;

  private FastFileClose() {}

  /**
   * Shortens the first retry delay in {@code conf} and adds retries. This affects the file systems
   * that are opened with {@code conf} afterwards.
   */
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
