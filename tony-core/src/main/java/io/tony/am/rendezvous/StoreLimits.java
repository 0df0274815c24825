package io.tony.am.rendezvous;

import io.tony.am.http.ConnectionCaps;
import java.time.Duration;

/**
 * What the callers of one store may take, so that none of them can take the ApplicationMaster down:
 * several times what the gang itself needs. Each of its tasks may come at the same moment, and the
 * connections of some may be about to end.
 *
 * @param connectionCaps how many, and for how long; with requests that have come in part, and
 *     answers that are not read, half as many bytes as in keys
 * @param maxKeys at a time
 * @param maxValueBytes of one value
 * @param maxTotalBytes of all keys and values
 */
record StoreLimits(
    ConnectionCaps connectionCaps, int maxKeys, int maxValueBytes, long maxTotalBytes) {
  private static final int SPARE_CONNECTIONS = 256;
  private static final long MIB = 1024 * 1024;

  /** Many times what a request takes on a network that is busy with a gang's start. */
  private static final Duration REQUEST_TIMEOUT = Duration.ofMinutes(1);

  /** A third: with what came in part, the stores fill half of the heap at most. */
  private static final int HEAP_DIVISOR = 3;

  StoreLimits(
      int maxPending,
      int maxParked,
      int maxKeys,
      int maxValueBytes,
      long maxTotalBytes,
      Duration requestTimeout) {
    this(
        new ConnectionCaps(maxPending, maxParked, maxTotalBytes / 2, requestTimeout),
        maxKeys,
        maxValueBytes,
        maxTotalBytes);
  }

  /**
   * A task may wait for a key and at a barrier. Of 10,000 tasks, each has 6 KiB of the store and
   * 110 keys for itself.
   */
  static StoreLimits http(int tasks, FileDescriptors descriptors) {
    int maxPending = descriptors.maxPendingConnections(tasks + SPARE_CONNECTIONS);
    return new StoreLimits(
        maxPending,
        descriptors.maxGangConnections(2 * tasks + SPARE_CONNECTIONS, maxPending),
        100 * tasks + 100_000,
        (int) MIB,
        capToHeap(64 * MIB),
        REQUEST_TIMEOUT);
  }

  /**
   * Gloo leaves two keys in each of three contexts for each rank: a name, and in two of the
   * contexts one address of 136 bytes for each other rank (gloo's {@code
   * gloo/transport/context.cc}). 1,000 ranks leave 272 MB. More than about 1,300 need more than the
   * default of {@code tony.am.memory}, and 10,000 would need 27 GB of heap for the store.
   */
  static StoreLimits horovod(int ranks, FileDescriptors descriptors) {
    return new StoreLimits(
        descriptors.maxGangConnections(ranks + SPARE_CONNECTIONS, 0), // all come and go
        0,
        16 * ranks + 1_024,
        (int) (MIB / 16) + 256 * ranks,
        capToHeap(64 * MIB + 512L * ranks * ranks),
        REQUEST_TIMEOUT);
  }

  /**
   * A rank stays from {@code MPI_Init} to {@code MPI_Finalize}, and one that is started again may
   * come before its predecessor is seen to be gone. It leaves a few addresses, less than 1 KiB: 10
   * MB of 10,000 ranks, where 160 MB have room.
   */
  static StoreLimits pmi(int ranks, FileDescriptors descriptors) {
    int maxPending = descriptors.maxPendingConnections(ranks + SPARE_CONNECTIONS);
    return new StoreLimits(
        maxPending,
        descriptors.maxGangConnections(2 * ranks, maxPending),
        256 * ranks + 1,
        1_024, // the largest that MPICH's clients send
        capToHeap(4 * MIB + 16L * 1024 * ranks),
        REQUEST_TIMEOUT);
  }

  /** How many of the gang can be connected at the same time. */
  int connections() {
    return Math.max(connectionCaps.maxPending(), connectionCaps.maxParked());
  }

  private static long capToHeap(long bytes) {
    return Math.min(bytes, Runtime.getRuntime().maxMemory() / HEAP_DIVISOR);
  }
}
