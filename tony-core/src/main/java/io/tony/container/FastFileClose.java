package io.tony.container;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys.BlockWrite;

/**
 * Closes HDFS's files sooner. A file can be closed when the NameNode has heard of its last block
 * from a data node, which is often some milliseconds later than the writer asks for it; the writer
 * asks again after 400 ms, then after twice as long, and so on. That would stand on the way to the
 * first container and to the next step.
 */
public final class FastFileClose {
  /** The first wait is halved so often, and there are so many more: together they are as long. */
  private static final int HALVINGS = 6;

  private FastFileClose() {}

  /** For the file systems that are opened with this configuration from now on. */
  public static void of(Configuration conf) {
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
