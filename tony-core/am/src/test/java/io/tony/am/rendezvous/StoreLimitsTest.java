package io.tony.am.rendezvous;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import org.junit.Test;

public class StoreLimitsTest {
  /** What gloo's workers leave, two contexts with an address for each other rank. */
  private static long gloo(int ranks) {
    return 2L * ranks * ranks * 136;
  }

  @Test
  public void shouldHaveRoomForWhatAGangLeaves() {
    for (int ranks : List.of(1, 10, 100, 300)) {
      StoreLimits horovod = StoreLimits.horovod(ranks, FileDescriptors.ofProcess(1));
      assertTrue(horovod.maxValueBytes() > ranks * 136);
      assertTrue(horovod.maxKeys() > 6 * ranks);
      assertTrue(horovod.maxTotalBytes() > gloo(ranks));
    }
    int many = 10_000;
    assertTrue(
        StoreLimits.horovod(many, FileDescriptors.ofProcess(1)).maxValueBytes() > many * 136);
    assertTrue(StoreLimits.pmi(many, FileDescriptors.ofProcess(1)).maxTotalBytes() > many * 1_024L);
    assertTrue(StoreLimits.pmi(many, FileDescriptors.ofProcess(1)).maxKeys() > 10 * many);
    assertTrue(
        StoreLimits.http(many, FileDescriptors.ofProcess(1)).maxTotalBytes() > many * 6_000L);
    assertTrue(StoreLimits.http(many, FileDescriptors.ofProcess(1)).maxKeys() > 100 * many);
  }

  private static StoreLimits mpi(int ranks, long files) {
    return StoreLimits.pmi(ranks, new FileDescriptors(files, ranks));
  }

  @Test
  public void shouldHaveADescriptorForEachRank() {
    assertTrue(mpi(1_500, 4_096).connectionCaps().maxParked() >= 1_500);
    assertTrue(mpi(10_000, 32_768).connectionCaps().maxParked() >= 10_000);
    assertEquals(Optional.empty(), GangStores.shortage(mpi(10_000, 32_768), 10_000));
    String shortage = GangStores.shortage(mpi(10_000, 16_384), 10_000).orElseThrow();
    assertTrue(shortage, shortage.contains("fewer than the 10000 of the gang"));
    for (int ranks : List.of(1, 1_000, 2_000)) {
      FileDescriptors files = new FileDescriptors(4_096, ranks);
      for (StoreLimits limits :
          List.of(
              StoreLimits.http(ranks, files),
              StoreLimits.horovod(ranks, files),
              StoreLimits.pmi(ranks, files))) {
        int connections =
            limits.connectionCaps().maxPending() + limits.connectionCaps().maxParked();
        assertTrue(connections + " beside " + ranks, connections + ranks <= 4_096 - 256);
      }
    }
  }

  @Test
  public void shouldLeaveMemoryAndDescriptorsToTheApplicationMaster() {
    long heap = Runtime.getRuntime().maxMemory();
    long descriptors =
        ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getMaxFileDescriptorCount();
    int huge = 1_000_000;
    for (StoreLimits limits :
        List.of(
            StoreLimits.http(huge, FileDescriptors.ofProcess(1)),
            StoreLimits.horovod(huge, FileDescriptors.ofProcess(1)),
            StoreLimits.pmi(huge, FileDescriptors.ofProcess(1)))) {
      assertTrue(limits.maxTotalBytes() + limits.connectionCaps().maxBufferedBytes() <= heap / 2);
      assertTrue(
          limits.connectionCaps().maxPending() + (long) limits.connectionCaps().maxParked()
              < descriptors);
    }
  }
}
