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
final class Views {
  /** A checkpoint that is missed is as old as that. */
  static final Duration SHARED = Duration.ofSeconds(5);

  /** So long, one task after the other starts without a checkpoint, and does not wait. */
  static final Duration FAILED = Duration.ofMinutes(1);

  private final Configuration conf;
  private final Path folder;
  private final SetsInUse inUse;
  private final InstantSource clock;
  private SetFolders last; // null before the first
  private Instant taken = Instant.MIN;
  private IOException failure; // null where nothing has failed since it last did not
  private Instant failed = Instant.MIN;

  /** Sets that are gone by {@code inUse} are passed over. */
  Views(Configuration conf, Path folder, SetsInUse inUse, InstantSource clock) {
    this.conf = conf;
    this.folder = folder;
    this.inUse = inUse;
    this.clock = clock;
  }

  /** As it is now. */
  SetFolders fresh() throws IOException {
    return new SetFolders(folder.getFileSystem(conf), folder, inUse);
  }

  /** As it was a moment ago. */
  SetFolders shared() throws IOException {
    synchronized (this) {
      if (last != null && isWithin(SHARED, taken)) {
        return last;
      }
    }
    return renewed();
  }

  /** As it is now, also for those that share. */
  SetFolders renewed() throws IOException {
    SetFolders next = fresh();
    synchronized (this) {
      last = next;
      taken = clock.instant();
    }
    return next;
  }

  /** Nobody could see anything. Whoever was told of that before has not asked again. */
  synchronized void failed(IOException why) {
    if (!why.equals(failure)) {
      failure = why;
      failed = clock.instant();
    }
  }

  synchronized void succeeded() {
    failure = null;
  }

  /**
   * Does nothing where it did not fail of late.
   *
   * @throws IOException why it did
   */
  synchronized void requireNoFailure() throws IOException {
    if (failure != null && isWithin(FAILED, failed)) {
      throw failure;
    }
  }

  private boolean isWithin(Duration limit, Instant since) {
    Instant now = clock.instant();
    return !now.isBefore(since) && now.isBefore(since.plus(limit));
  }
}
