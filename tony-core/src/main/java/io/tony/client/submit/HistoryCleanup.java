package io.tony.client.submit;

import io.tony.client.application.YarnLookup;
import io.tony.eventlog.LogRetention;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Event logs of this user's jobs that ended long ago ({@code tony.history.retention}): the next
 * submission deletes some of them. However many there are, it takes a moment: the next one goes on.
 */
final class HistoryCleanup {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryCleanup.class);

  /** Folders whose job is looked at in one sweep, and so the most that are deleted. */
  static final int MAX_CHECKS = 100;

  /** This user's entries in one sweep; HDFS lists the oldest applications first. */
  static final int MAX_ENTRIES = 10_000;

  /** Other users' entries come first where their jobs are older, however many those are. */
  static final Duration MAX_TIME = Duration.ofSeconds(5);

  private final FileSystem fs;
  private final Path history;
  private final String user;
  private final Duration retention;
  private final LogRetention rule;
  private final LongSupplier nanoClock;

  HistoryCleanup(
      FileSystem fs,
      Path history,
      Duration retention,
      String user,
      YarnLookup yarn,
      InstantSource clock) {
    this(fs, history, retention, user, yarn, clock, System::nanoTime);
  }

  /**
   * The history of one user.
   *
   * @param retention how long a job's log is kept, or zero to keep all
   * @param user whose folders may be deleted: several users may have one history folder
   * @param nanoClock a clock that nobody sets
   */
  HistoryCleanup(
      FileSystem fs,
      Path history,
      Duration retention,
      String user,
      YarnLookup yarn,
      InstantSource clock,
      LongSupplier nanoClock) {
    this.fs = fs;
    this.history = history;
    this.retention = retention;
    this.user = user;
    this.rule = new LogRetention(fs, retention, yarn::findByName, clock);
    this.nanoClock = nanoClock;
  }

  /** Where it fails, the log says so: the job that is being submitted goes on. */
  void sweep() {
    if (retention.isZero()) {
      return;
    }
    try {
      long startNanos = nanoClock.getAsLong();
      RemoteIterator<FileStatus> entries = fs.listStatusIterator(history);
      int entryCount = 0;
      int checkCount = 0;
      while (entryCount < MAX_ENTRIES
          && checkCount < MAX_CHECKS
          && nanoClock.getAsLong() - startNanos < MAX_TIME.toNanos()
          && entries.hasNext()) {
        FileStatus folder = entries.next();
        if (!folder.getOwner().equals(user)) {
          continue;
        }
        entryCount++;
        if (StaleStaging.parseApplicationId(folder.getPath()).isPresent()
            && rule.mayBeExpired(folder)) {
          checkCount++;
          rule.deleteIfExpired(folder);
        }
      }
    } catch (FileNotFoundException e) {
      LOG.debug("There is no history yet", e);
    } catch (IOException e) {
      LOG.warn("Event logs of earlier jobs may stay behind: {}", e.toString());
    }
  }
}
