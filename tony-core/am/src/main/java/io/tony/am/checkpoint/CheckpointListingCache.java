package io.tony.am.checkpoint;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/**
 * Cache of {@link CheckpointListing}, for many tasks that restart one by one and would each list
 * the same folder: they share a listing for {@link #CACHE_TTL}, and a failure for {@link
 * #FAILURE_TTL}. Thread-safe.
 */
final class CheckpointListingCache {
  /** Maximum age of a shared listing, which may lack newer checkpoints. */
  static final Duration CACHE_TTL = Duration.ofSeconds(5);

  /**
   * How long a failed listing is remembered. During this time, tasks that restart alone start
   * without a checkpoint immediately, instead of each waiting for the file system.
   */
  static final Duration FAILURE_TTL = Duration.ofMinutes(1);

  private final Configuration conf;
  private final @Nullable Path folder;
  private final CheckpointsInUse inUse;
  private final InstantSource clock;
  private @Nullable CheckpointListing
      cachedFolders; // the shared listing; null before the first one
  private Instant cachedAt = Instant.MIN;
  private @Nullable IOException failure; // why the last listing failed; null if it succeeded
  private Instant failedAt = Instant.MIN;

  /**
   * Creates an empty cache. {@code folder} is the parent of all sets; null if the configured
   * checkpoint folder is not a valid path: nothing can be listed then. Sets that are deleted
   * according to {@code inUse} are left out.
   */
  CheckpointListingCache(
      Configuration conf, @Nullable Path folder, CheckpointsInUse inUse, InstantSource clock) {
    this.conf = conf;
    this.folder = folder;
    this.inUse = inUse;
    this.clock = clock;
  }

  /** Returns a new listing and does not cache it. */
  CheckpointListing newListing() throws IOException {
    Path parent = Objects.requireNonNull(folder);
    return new CheckpointListing(parent.getFileSystem(conf), parent, inUse);
  }

  /**
   * Returns the shared listing, or a new one if the shared one is older than {@link #CACHE_TTL}.
   */
  CheckpointListing cached() throws IOException {
    synchronized (this) {
      if (cachedFolders != null && isWithin(CACHE_TTL, cachedAt)) {
        return cachedFolders;
      }
    }
    return refresh();
  }

  /** Returns a new listing and caches it. */
  CheckpointListing refresh() throws IOException {
    CheckpointListing next = newListing();
    synchronized (this) {
      cachedFolders = next;
      cachedAt = clock.instant();
    }
    return next;
  }

  /**
   * Caches a failure to list. If {@code why} was thrown by {@link #requireNoRecentFailure}, the
   * time of the failure does not change.
   */
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
   * Does nothing unless a listing failed within {@link #FAILURE_TTL}.
   *
   * @throws IOException the recent failure
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
