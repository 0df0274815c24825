package io.tony.am.checkpoint;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * What there is in the folder of all sets. Tasks that start by themselves may be many, each of
 * which would ask the same: they share an answer for a moment, and a failure for longer. For use by
 * several threads.
 */
final class CheckpointListingCache {
  /** A checkpoint that is missed is as old as that. */
  static final Duration CACHE_TTL = Duration.ofSeconds(5);

  /** So long, one task after the other starts without a checkpoint, and does not wait. */
  static final Duration FAILURE_TTL = Duration.ofMinutes(1);

  private final Configuration conf;
  private final Path folder;
  private final CheckpointsInUse inUse;
  private final InstantSource clock;
  private CheckpointFolders cachedFolders; // null before the first
  private Instant cachedAt = Instant.MIN;
  private IOException failure; // null where nothing has failed since it last did not
  private Instant failedAt = Instant.MIN;

  /** Sets that are gone by {@code inUse} are passed over. */
  CheckpointListingCache(
      Configuration conf, Path folder, CheckpointsInUse inUse, InstantSource clock) {
    this.conf = conf;
    this.folder = folder;
    this.inUse = inUse;
    this.clock = clock;
  }

  /** As it is now. */
  CheckpointFolders newListing() throws IOException {
    return new CheckpointFolders(folder.getFileSystem(conf), folder, inUse);
  }

  /** As it was a moment ago. */
  CheckpointFolders cached() throws IOException {
    synchronized (this) {
      if (cachedFolders != null && isWithin(CACHE_TTL, cachedAt)) {
        return cachedFolders;
      }
    }
    return refresh();
  }

  /** As it is now, also for those that share. */
  CheckpointFolders refresh() throws IOException {
    CheckpointFolders next = newListing();
    synchronized (this) {
      cachedFolders = next;
      cachedAt = clock.instant();
    }
    return next;
  }

  /** Nobody could see anything. Whoever was told of that before has not asked again. */
  synchronized void recordFailure(IOException why) {
    if (!why.equals(failure)) {
      failure = why;
      failedAt = clock.instant();
    }
  }

  synchronized void recordSuccess() {
    failure = null;
  }

  /**
   * Does nothing where it did not fail of late.
   *
   * @throws IOException why it did
   */
  synchronized void requireNoRecentFailure() throws IOException {
    if (failure != null && isWithin(FAILURE_TTL, failedAt)) {
      throw failure;
    }
  }

  private boolean isWithin(Duration limit, Instant since) {
    Instant now = clock.instant();
    return !now.isBefore(since) && now.isBefore(since.plus(limit));
  }
}
