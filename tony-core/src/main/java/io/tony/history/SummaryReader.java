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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log of one job, read on from where it was left, until the job has ended. */
final class SummaryReader {
  private static final Logger LOG = LoggerFactory.getLogger(SummaryReader.class);

  /** In which YARN starts another ApplicationMaster, when it has room for it. */
  static final Duration LOST_AFTER = Duration.ofMinutes(10);

  private static final String LOST_MESSAGE =
      "its end is not recorded, and nobody writes its event log any more: it was killed by YARN, or"
          + " its ApplicationMaster was lost";

  /** Characters. A log of a large job has some tens of millions. */
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
  private boolean caughtUp; // all that is there now
  private String lostReason; // why; null for a job that is not

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

  /** The folder as it was listed now. */
  void updateFolder(FileStatus now) {
    folder = now;
  }

  /** Reads a part; the other logs wait meanwhile. */
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

  /** How many bytes of memory it takes more than when this was asked last. */
  long updateBytes() {
    long before = bytes;
    bytes = builder.bytes();
    return bytes - before;
  }

  /** As many as were told. */
  long bytes() {
    return bytes;
  }

  /** False while nothing is recorded. */
  boolean isShown() {
    return lostReason != null || !builder.isEmpty();
  }

  /** Whether it need not be read again, unless another file is made in its folder. */
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
