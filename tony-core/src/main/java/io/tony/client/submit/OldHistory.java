package io.tony.client.submit;

import io.tony.client.submit.StaleStaging.Known;
import io.tony.client.submit.StaleStaging.Scheduler;
import io.tony.eventlog.EventLog;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Event logs of this user's jobs that ended long ago ({@code tony.history.retention}): the next
 * submission deletes some of them. However many there are, it takes a moment: the next one goes on.
 */
final class OldHistory {
  private static final Logger LOG = LoggerFactory.getLogger(OldHistory.class);

  /** Folders whose job is looked at in one sweep, and so the most that are deleted. */
  static final int MOST_LOOKS = 100;

  /** This user's entries in one sweep; HDFS lists the oldest applications first. */
  static final int MOST_ENTRIES = 10_000;

  /** Other users' entries come first where their jobs are older, however many those are. */
  static final Duration MOST_TIME = Duration.ofSeconds(5);

  private final FileSystem fs;
  private final Path history;
  private final String user;
  private final Duration retention;
  private final Scheduler scheduler;
  private final InstantSource clock;
  private final LongSupplier nanos;

  OldHistory(
      FileSystem fs,
      Path history,
      Duration retention,
      String user,
      Scheduler scheduler,
      InstantSource clock) {
    this(fs, history, retention, user, scheduler, clock, System::nanoTime);
  }

  /**
   * The history of one user.
   *
   * @param retention how long a job's log is kept, or zero to keep all
   * @param user whose folders may be deleted: several users may have one history folder
   * @param nanos a clock that nobody sets
   */
  OldHistory(
      FileSystem fs,
      Path history,
      Duration retention,
      String user,
      Scheduler scheduler,
      InstantSource clock,
      LongSupplier nanos) {
    this.fs = fs;
    this.history = history;
    this.retention = retention;
    this.user = user;
    this.scheduler = scheduler;
    this.clock = clock;
    this.nanos = nanos;
  }

  /** Where it fails, the log says so: the job that is being submitted goes on. */
  void sweep() {
    if (retention.isZero()) {
      return;
    }
    try {
      long begin = nanos.getAsLong();
      RemoteIterator<FileStatus> entries = fs.listStatusIterator(history);
      int seen = 0;
      int looks = 0;
      while (seen < MOST_ENTRIES
          && looks < MOST_LOOKS
          && nanos.getAsLong() - begin < MOST_TIME.toNanos()
          && entries.hasNext()) {
        FileStatus folder = entries.next();
        if (!folder.getOwner().equals(user)) {
          continue;
        }
        seen++;
        Optional<ApplicationId> application = StaleStaging.application(folder.getPath());
        if (application.isPresent() && mayBeOld(folder)) {
          looks++;
          deleteIfOld(folder, application.get());
        }
      }
    } catch (FileNotFoundException e) {
      LOG.debug("There is no history yet", e);
    } catch (IOException | YarnException e) {
      LOG.warn("Event logs of earlier jobs may stay behind: {}", e.toString());
    }
  }

  /** As far as the list tells: a job that began long ago may have ended just now. */
  private boolean mayBeOld(FileStatus folder) {
    return folder.isDirectory()
        && age(folder.getModificationTime()).compareTo(kept(Known.ENDED)) > 0;
  }

  private void deleteIfOld(FileStatus folder, ApplicationId application)
      throws IOException, YarnException {
    long last = folder.getModificationTime();
    for (FileStatus file : fs.listStatus(folder.getPath())) {
      if (!EventLog.isPartOfOne(file)) {
        LOG.info("{} stays: it is no part of an event log", file.getPath());
        return;
      }
      last = Math.max(last, file.getModificationTime());
    }
    Known known = scheduler.find(application);
    boolean old = age(last).compareTo(kept(known)) > 0;
    // HDFS may show, for a file that is being written, the time when the writing began.
    if (known != Known.ALIVE && old && !EventLog.isBeingWritten(fs, folder.getPath())) {
      LOG.info("{} is of a job that has ended long ago; it is deleted", folder.getPath());
      fs.delete(folder.getPath(), true);
    }
  }

  private Duration kept(Known known) {
    Duration least =
        known == Known.UNKNOWN ? StaleStaging.WHEN_UNKNOWN : StaleStaging.AFTER_THE_END;
    return retention.compareTo(least) > 0 ? retention : least;
  }

  private Duration age(long millis) {
    return Duration.between(Instant.ofEpochMilli(millis), clock.instant());
  }
}
