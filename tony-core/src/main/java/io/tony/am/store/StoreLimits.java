package io.tony.am.store;

import io.tony.am.serve.Caps;
import java.time.Duration;

/**
 * What the callers of one store may take, so that none of them can take the ApplicationMaster down:
 * several times what the gang itself needs. Each of its tasks may come at the same moment, and the
 * connections of some may be about to end.
 *
 * @param callers how many, and for how long; with requests that have come in part, and answers that
 *     are not read, half as many bytes as in keys
 * @param keys at a time
 * @param valueBytes of one value
 * @param totalBytes of all keys and values
 */
record StoreLimits(Caps callers, int keys, int valueBytes, long totalBytes) {
  private static final int SPARE = 256;
  private static final long MIB = 1024 * 1024;

  /** Many times what a request takes on a network that is busy with a gang's start. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** A third: with what came in part, the stores fill half of the heap at most. */
  private static final int SHARE_OF_HEAP = 3;

  StoreLimits(
      int strangers, int settled, int keys, int valueBytes, long totalBytes, Duration patience) {
    this(new Caps(strangers, settled, totalBytes / 2, patience), keys, valueBytes, totalBytes);
  }

  /**
   * A task may wait for a key and at a barrier. Of 10,000 tasks, each has 6 KiB of the store and
   * 110 keys for itself.
   */
  static StoreLimits http(int tasks, Descriptors descriptors) {
    int strangers = descriptors.strangers(tasks + SPARE);
    return new StoreLimits(
        strangers,
        descriptors.ofGang(2 * tasks + SPARE, strangers),
        100 * tasks + 100_000,
        (int) MIB,
        inHeap(64 * MIB),
        PATIENCE);
  }

  /**
   * Gloo leaves two keys in each of three contexts for each rank: a name, and in two of the
   * contexts one address of 136 bytes for each other rank (gloo's {@code
   * gloo/transport/context.cc}). 1,000 ranks leave 272 MB. More than about 1,300 need more than the
   * default of {@code tony.am.memory}, and 10,000 would need 27 GB of heap for the store.
   */
  static StoreLimits horovod(int ranks, Descriptors descriptors) {
    return new StoreLimits(
        descriptors.ofGang(ranks + SPARE, 0), // all come and go
        0,
        16 * ranks + 1_024,
        (int) (MIB / 16) + 256 * ranks,
        inHeap(64 * MIB + 512L * ranks * ranks),
        PATIENCE);
  }

  /**
   * A rank stays from {@code MPI_Init} to {@code MPI_Finalize}, and one that is started again may
   * come before its predecessor is seen to be gone. It leaves a few addresses, less than 1 KiB: 10
   * MB of 10,000 ranks, where 160 MB have room.
   */
  static StoreLimits pmi(int ranks, Descriptors descriptors) {
    int strangers = descriptors.strangers(ranks + SPARE);
    return new StoreLimits(
        strangers,
        descriptors.ofGang(2 * ranks, strangers),
        256 * ranks + 1,
        1_024, // the largest that MPICH's clients send
        inHeap(4 * MIB + 16L * 1024 * ranks),
        PATIENCE);
  }

  /** How many of the gang can be connected at the same time. */
  int connections() {
    return Math.max(callers.strangers(), callers.settled());
  }

  private static long inHeap(long bytes) {
    return Math.min(bytes, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
  }
}
