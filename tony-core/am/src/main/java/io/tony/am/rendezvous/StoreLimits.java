package io.tony.am.rendezvous;

import io.tony.am.http.ConnectionCaps;
import java.time.Duration;

/**
 * Limits of one store, for all callers together, so that they cannot exhaust the
 * ApplicationMaster's memory. The limits are several times what the gang needs: all tasks may
 * connect at the same moment, while old connections are still being closed.
 *
 * @param connectionCaps limits of the connections; incomplete requests and unread answers may take
 *     half as many bytes as the keys and values
 * @param maxKeys maximum number of keys
 * @param maxValueBytes maximum size of one value, in bytes
 * @param maxTotalBytes maximum size of all keys and values together, in bytes
 */
record StoreLimits(
    ConnectionCaps connectionCaps, int maxKeys, int maxValueBytes, long maxTotalBytes) {
  private static final int SPARE_CONNECTIONS = 256;
  private static final long MIB = 1024 * 1024;

  /**
   * Maximum time of a request; far longer than a request takes while a gang's start keeps the
   * network busy.
   */
  private static final Duration REQUEST_TIMEOUT = Duration.ofMinutes(1);

  /**
   * Keys and values may fill this fraction (a third) of the heap. With the buffered requests and
   * answers, the store fills at most half of it.
   */
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
   * Returns the limits of an {@link HttpStore}. Each task may wait for a key and at a barrier at
   * the same time. With 10,000 tasks, each task's share is 6 KiB and 110 keys.
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
   * Returns the limits of a {@link HorovodStore}. In each of three contexts, gloo stores two keys
   * per rank: a name and, in two of the contexts, a list with an address of 136 bytes for each
   * other rank (gloo's {@code gloo/transport/context.cc}). 1,000 ranks store 272 MB. More than
   * about 1,300 ranks need more than the default of {@code tony.am.memory}; 10,000 ranks would need
   * 27 GB of heap for the store.
   */
  static StoreLimits horovod(int ranks, FileDescriptors descriptors) {
    return new StoreLimits(
        // Each request uses its own short connection: one per rank at a time is enough.
        descriptors.maxGangConnections(ranks + SPARE_CONNECTIONS, 0),
        0,
        16 * ranks + 1_024,
        (int) (MIB / 16) + 256 * ranks,
        capToHeap(64 * MIB + 512L * ranks * ranks),
        REQUEST_TIMEOUT);
  }

  /**
   * Returns the limits of a {@link PmiServer}. A rank stays connected from {@code MPI_Init} to
   * {@code MPI_Finalize}, and a restarted rank may connect before the connection of its previous
   * process is closed. A rank stores a few addresses of together less than 1 KiB. 10,000 ranks thus
   * store up to 10 MB; the limit for them is 160 MB.
   */
  static StoreLimits pmi(int ranks, FileDescriptors descriptors) {
    int maxPending = descriptors.maxPendingConnections(ranks + SPARE_CONNECTIONS);
    return new StoreLimits(
        maxPending,
        descriptors.maxGangConnections(2 * ranks, maxPending),
        256 * ranks + 1,
        // The longest value that MPICH's clients send.
        1_024,
        capToHeap(4 * MIB + 16L * 1024 * ranks),
        REQUEST_TIMEOUT);
  }

  /** Returns the maximum number of connections of the gang's programs at the same time. */
  int connections() {
    return Math.max(connectionCaps.maxPending(), connectionCaps.maxParked());
  }

  private static long capToHeap(long bytes) {
    return Math.min(bytes, Runtime.getRuntime().maxMemory() / HEAP_DIVISOR);
  }
}
