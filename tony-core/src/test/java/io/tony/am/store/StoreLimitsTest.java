package io.tony.am.store;

import static org.junit.Assert.assertTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.Test;

public class StoreLimitsTest {
  /** What gloo's workers leave, two contexts with an address for each other rank. */
  private static long gloo(int ranks) {
    return 2L * ranks * ranks * 136;
  }

  @Test
  public void shouldHaveRoomForWhatAGangLeaves() {
    for (int ranks : List.of(1, 10, 100, 300)) {
      StoreLimits horovod = StoreLimits.horovod(ranks);
      assertTrue(horovod.valueBytes() > ranks * 136);
      assertTrue(horovod.keys() > 6 * ranks);
      assertTrue(horovod.totalBytes() > gloo(ranks));
    }
    int many = 10_000;
    assertTrue(StoreLimits.horovod(many).valueBytes() > many * 136);
    assertTrue(StoreLimits.pmi(many).totalBytes() > many * 1_024L);
    assertTrue(StoreLimits.pmi(many).keys() > 10 * many);
    assertTrue(StoreLimits.http(many).totalBytes() > many * 6_000L);
    assertTrue(StoreLimits.http(many).keys() > 100 * many);
  }

  @Test
  public void shouldLeaveMemoryAndDescriptorsToTheApplicationMaster() {
    long heap = Runtime.getRuntime().maxMemory();
    long descriptors =
        ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getMaxFileDescriptorCount();
    int huge = 1_000_000;
    for (StoreLimits limits :
        List.of(StoreLimits.http(huge), StoreLimits.horovod(huge), StoreLimits.pmi(huge))) {
      assertTrue(limits.totalBytes() + limits.callers().heldBytes() <= heap / 2);
      assertTrue(
          limits.callers().strangers() + (long) limits.callers().settled() <= descriptors / 2);
    }
  }
}
