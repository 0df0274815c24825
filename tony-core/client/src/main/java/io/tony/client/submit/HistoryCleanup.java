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
 * Deletes event logs of this user's jobs that ended longer ago than {@code tony.history.retention}.
 * Each submission deletes only a limited number, so that the cleanup is always short.
 */
final class HistoryCleanup {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryCleanup.class);

  /** Maximum number of job folders that one sweep checks for deletion. */
  static final int MAX_CHECKS = 100;

  /**
   * Maximum number of this user's folders that one sweep lists. HDFS lists the folders of the
   * oldest applications first.
   */
  static final int MAX_ENTRIES = 10_000;

  /**
   * Maximum duration of one sweep. Needed in addition to the other limits, because the listing may
   * contain any number of other users' folders before this user's.
   */
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
   * Creates a cleanup of the event logs in the folder {@code history}.
   *
   * @param retention how long event logs are kept after the end of the job; zero to keep them
   *     forever
   * @param user the owner of the folders that may be deleted; several users may share a history
   *     folder
   * @param nanoClock a monotonic clock, in nanoseconds
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

  /** Deletes expired event logs. Failures are only logged, so that the submission continues. */
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
        if (StagingCleanup.parseApplicationId(folder.getPath()).isPresent()
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
