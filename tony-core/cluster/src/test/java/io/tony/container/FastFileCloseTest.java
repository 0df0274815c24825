package io.tony.container;

import static org.junit.Assert.assertTrue;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.client.impl.DfsClientConf;
import org.junit.Test;

public class FastFileCloseTest {
  /** What HDFS's client waits together, each time twice as long. */
  private static long patienceMillis(DfsClientConf client) {
    long sum = 0;
    for (int i = 0; i < client.getNumBlockWriteLocateFollowingRetry(); i++) {
      sum += (long) client.getBlockWriteLocateFollowingInitialDelayMs() << i;
    }
    return sum;
  }

  @Test
  public void shouldAskSoonerAndNotGiveUpEarlier() {
    Configuration conf = new Configuration();
    long patience = patienceMillis(new DfsClientConf(conf));

    FastFileClose.applyTo(conf);

    DfsClientConf client = new DfsClientConf(conf);
    assertTrue(client.getBlockWriteLocateFollowingInitialDelayMs() <= 10);
    assertTrue(patienceMillis(client) >= 0.95 * patience);
  }

  @Test
  public void shouldKeepThePatienceOfTheSite() {
    Configuration conf = new Configuration();
    conf.setInt(HdfsClientConfigKeys.BlockWrite.LOCATEFOLLOWINGBLOCK_RETRIES_KEY, 8);
    conf.setInt(HdfsClientConfigKeys.BlockWrite.LOCATEFOLLOWINGBLOCK_INITIAL_DELAY_MS_KEY, 640);
    long patience = patienceMillis(new DfsClientConf(conf));

    FastFileClose.applyTo(conf);

    assertTrue(patienceMillis(new DfsClientConf(conf)) >= 0.95 * patience);
  }
}
