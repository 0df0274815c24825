package io.tony.history;

import io.tony.eventlog.EventLog;
import io.tony.eventlog.LogTail;
import io.tony.eventlog.UnreadableLogException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the event log of one job in parts, as it grows, until the job has ended. Not thread-safe.
 */
final class SummaryReader {
  private static final Logger LOG = LoggerFactory.getLogger(SummaryReader.class);

  /**
   * Minimum time since the last change of a log after which a job without a recorded end can count
   * as lost. Until then, YARN may start another ApplicationMaster.
   */
  static final Duration LOST_AFTER = Duration.ofMinutes(10);

  private static final String LOST_MESSAGE =
      "its end is not recorded, and no process writes its event log any more: it was killed by YARN, or"
          + " its ApplicationMaster was lost";

  /**
   * Maximum number of characters that one call reads. The log of a large job has some tens of
   * millions of characters.
   */
  private static final long MAX_READ_CHARS = 64L * 1024 * 1024;

  private static final String DAMAGED_MESSAGE =
      "its event log is damaged: a line of it is no event, and its end is not recorded before that";

  private final FileSystem fs;
  private final String history;
  private final String owner;
  private final LogTail tail;
  private final SummaryBuilder builder;
  private FileStatus folder;
  private long bytes;
  private boolean caughtUp; // everything that was in the log at the last read was read
  private @Nullable String lostReason; // why the job counts as lost; null if it does not

  SummaryReader(FileSystem fs, Path history, FileStatus folder) {
    this.fs = fs;
    this.history = history.toString().intern();
    this.owner = folder.getOwner();
    this.folder = folder;
    this.tail = new LogTail(fs, folder.getPath());
    this.builder = new SummaryBuilder(folder.getPath().getName()).owner(owner);
  }

  Path folder() {
    return folder.getPath();
  }

  /** Sets the latest status of the job's folder. */
  void updateFolder(FileStatus now) {
    folder = now;
  }

  /**
   * Reads the next part of the log, up to {@link #MAX_READ_CHARS}: other logs are waiting to be
   * read.
   */
  void readMore(Instant now) throws IOException {
    try {
      caughtUp = tail.read(MAX_READ_CHARS, (line, event) -> builder.add(event));
      lostReason =
          caughtUp && !builder.isEnded() && isLost(now)
              ? (tail.isDamaged() ? DAMAGED_MESSAGE : LOST_MESSAGE)
              : null;
    } catch (UnreadableLogException e) {
      LOG.warn("A log is not read any further: {}", e.getMessage());
      lostReason = "its event log cannot be read: " + e.getMessage();
    }
  }

  private boolean isLost(Instant now) throws IOException {
    long last = folder.getModificationTime();
    if (now.minus(LOST_AFTER).isBefore(Instant.ofEpochMilli(last))) {
      return false;
    }
    RemoteIterator<FileStatus> files = fs.listStatusIterator(folder.getPath());
    while (files.hasNext()) {
      last = Math.max(last, files.next().getModificationTime());
    }
    return !now.minus(LOST_AFTER).isBefore(Instant.ofEpochMilli(last))
        && !EventLog.isBeingWritten(fs, folder.getPath());
  }

  String owner() {
    return owner;
  }

  /**
   * Recomputes the memory size of what was read; returns its change since the previous call, in
   * bytes.
   */
  long updateBytes() {
    long before = bytes;
    bytes = builder.bytes();
    return bytes - before;
  }

  /** Returns the memory size in bytes, as of the last call of {@link #updateBytes}. */
  long bytes() {
    return bytes;
  }

  /** Returns true if the index shows the job: an event was recorded, or the job is lost. */
  boolean isShown() {
    return lostReason != null || !builder.isEmpty();
  }

  /** Returns true if the log need not be read again, unless a file is created in its folder. */
  boolean isFinished() {
    return lostReason != null || (caughtUp && builder.isEnded());
  }

  IndexedJob job() {
    JobSummary summary = builder.build();
    return new IndexedJob(
        history,
        folder.getModificationTime(),
        lostReason == null ? summary : summary.asLost(lostReason));
  }
}
