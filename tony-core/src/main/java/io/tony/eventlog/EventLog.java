package io.tony.eventlog;

import io.tony.clock.AwakeClock;
import io.tony.model.JobEvent;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job's events in order, in one folder with one or more files for each ApplicationMaster that it
 * had. Appending never waits for the file system: one thread writes, and flushes to the data nodes
 * at once what has come together; another tells a listener, and does what is to follow, once what
 * comes before is safe. What anybody has been told of, a later ApplicationMaster finds.
 *
 * <p>What is decided at once is read as a whole or not at all. When the file system fails, nothing
 * is told or done for a while, then all, and that is told too ({@link JobEvent.Type#LOG_BEHIND});
 * what is not written is kept, and written when that is possible again.
 *
 * <p>A later ApplicationMaster's log fences this one: it writes, tells and does nothing any more.
 */
public final class EventLog implements Journal, AutoCloseable {
  /** Takes lines of the log, as {@link EventJson} writes them. */
  @FunctionalInterface
  public interface Listener {
    /** {@code first} is the number of the first of them, counted from 0. */
    void onLines(long first, List<String> lines);
  }

  /**
   * How long a log waits for its file system.
   *
   * @param writeTimeout until the job goes on without its log
   * @param fencingTimeout until the files of an ApplicationMaster before are closed
   * @param maxRetryDelay between two tries to write
   * @param ownershipCheckInterval after which a log that has nothing to write looks whether it is
   *     still its own
   * @param nanoClock measures the patience, and what fencing takes
   */
  record Limits(
      Duration closeTimeout,
      Duration writeTimeout,
      Duration fencingTimeout,
      Duration maxRetryDelay,
      Duration ownershipCheckInterval,
      LongSupplier nanoClock) {
    static final Limits DEFAULT =
        new Limits(
            Duration.ofSeconds(10),
            Duration.ofMinutes(1),
            Duration.ofMinutes(5),
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            AwakeClock::nanoTime);
  }

  private static final Logger LOG = LoggerFactory.getLogger(EventLog.class);
  private static final FsPermission FOLDER_PERMISSION = new FsPermission((short) 0750);

  /** What the listener is given of the earlier lines. */
  private static final int MAX_REPLAYED_LINES = 1_000;

  private final FileSystem fs;
  private final Path folder;
  private final int attempt;
  private final List<LogFile> earlierFiles;
  private final String missing;
  private final LineIndex lineIndex;
  private final long earlierEventCount;
  private final Appender appender;

  /** The files before the own one cannot change any more. */
  private EventLog(
      FileSystem fs,
      Path folder,
      int attempt,
      List<LogFile> earlierFiles,
      LogFileWriter file,
      LineIndex lineIndex,
      InstantSource clock,
      Runnable onFenced,
      Limits limits)
      throws IOException {
    this.fs = fs;
    this.folder = folder;
    this.attempt = attempt;
    this.earlierFiles = earlierFiles;
    this.lineIndex = lineIndex;
    missing = LogFiles.read(fs, earlierFiles, new LineIndexer(lineIndex));
    file.begin(missing.isEmpty());
    earlierEventCount = lineIndex.count();
    appender = new Appender(file, folder, earlierEventCount, clock, onFenced, limits);
  }

  private record LineIndexer(LineIndex lineIndex) implements LogFiles.Visitor {
    @Override
    public void begin(Path file) {
      lineIndex.begin(file);
    }

    @Override
    public void event(JobEvent event, long offset) {
      lineIndex.add(offset);
    }
  }

  /**
   * Opens the log for one ApplicationMaster, whose file must not exist yet, and fences those before
   * it. The folder is made where it is missing.
   *
   * @param attempt of the ApplicationMaster, from 1
   * @param onFenced what to do when a later ApplicationMaster has fenced this log, done by its
   *     thread
   * @throws ForeignLogException where the folder, or a log in it, is another user's
   * @throws IOException also when a later ApplicationMaster has begun, or the files of an earlier
   *     one cannot be closed
   */
  public static EventLog create(
      FileSystem fs, Path folder, int attempt, InstantSource clock, Runnable onFenced)
      throws IOException {
    return create(fs, folder, attempt, clock, onFenced, Limits.DEFAULT);
  }

  static EventLog create(
      FileSystem fs,
      Path folder,
      int attempt,
      InstantSource clock,
      Runnable onFenced,
      Limits limits)
      throws IOException {
    LineIndex lineIndex = new LineIndex(fs);
    // First its own file, then a look at those of others: LogFileWriter says why.
    LogFileWriter file = begin(fs, folder, attempt, lineIndex);
    try {
      List<LogFile> files = file.listFiles();
      if (files.stream().anyMatch(other -> other.attempt() > attempt)) {
        throw new IOException(
            "a later ApplicationMaster than attempt " + attempt + " has begun to write " + folder);
      }
      List<LogFile> earlier = files.stream().filter(other -> other.attempt() < attempt).toList();
      for (LogFile other : earlier) {
        Lease.recover(fs, other.path(), limits.fencingTimeout(), limits.nanoClock());
      }
      return new EventLog(fs, folder, attempt, earlier, file, lineIndex, clock, onFenced, limits);
    } catch (IOException | RuntimeException e) {
      file.abandon();
      throw e;
    }
  }

  private static LogFileWriter begin(FileSystem fs, Path folder, int attempt, LineIndex lineIndex)
      throws IOException {
    try {
      FileSystem.mkdirs(fs, folder, FOLDER_PERMISSION);
      return new LogFileWriter(fs, folder, attempt, lineIndex);
    } catch (AccessControlException | AccessDeniedException e) {
      throw denialReason(fs, folder, e);
    }
  }

  /** Whose folder it is that keeps the log from being written: the lowest that is there. */
  private static IOException denialReason(FileSystem fs, Path folder, IOException denied) {
    for (Path path = folder; path != null; path = path.getParent()) {
      try {
        String owner = fs.getFileStatus(path).getOwner();
        String user = UserGroupInformation.getCurrentUser().getShortUserName();
        return path.equals(folder) && !owner.equals(user)
            ? ForeignLogException.forWriter(path, owner, user, denied)
            : ForeignLogException.forParentFolder(path, owner, user, denied);
      } catch (IOException e) {
        if (!(e instanceof FileNotFoundException)) {
          denied.addSuppressed(e);
          return denied;
        }
        // Then it is the one above it.
      }
    }
    return denied;
  }

  /** The folder of an application's events below the history folder. */
  public static Path folder(Path history, String application) {
    return new Path(history, application);
  }

  /** Whether an ApplicationMaster may still write to the log in a folder. */
  public static boolean isBeingWritten(FileSystem fs, Path folder) throws IOException {
    for (LogFile file : LogFile.list(fs, folder)) {
      if (Lease.isHeld(fs, file.path())) {
        return true;
      }
    }
    return false;
  }

  /** Whether an entry of the folder is one that an ApplicationMaster makes there. */
  public static boolean isLogEntry(FileStatus entry) {
    Path file = entry.getPath();
    return entry.isFile()
        && (LogFile.isLogFile(file) || file.getName().startsWith(LogFileWriter.PROBE_PREFIX));
  }

  /**
   * Gives the events of an application, finished or not, one by one: the log of a job of months is
   * longer than most heaps. A decision that an ApplicationMaster did not live to write down as a
   * whole is left out. Whoever believes what a log says reads it by {@link OwnerCheckedFileSystem}.
   *
   * @param from how many events at the beginning are not wanted
   * @return how many events there are, those before {@code from} included; 0 where there is no log
   */
  public static long read(FileSystem fs, Path folder, long from, EventConsumer events)
      throws IOException {
    return read(fs, folder, LogFile.list(fs, folder), from, events);
  }

  private static long read(
      FileSystem fs, Path folder, List<LogFile> files, long from, EventConsumer events)
      throws IOException {
    long[] counts = {0, 0}; // of all, of those of a later version
    String hole =
        LogFiles.read(
            fs,
            files,
            (event, offset) -> {
              if (counts[0]++ >= from) {
                counts[1] += event.type() == JobEvent.Type.UNKNOWN ? 1 : 0;
                events.take(event);
              }
            });
    if (counts[1] > 0) {
      LOG.warn("{} events in {} are of a later version, and passed over", counts[1], folder);
    }
    if (!hole.isEmpty()) {
      LOG.warn("The event log in {} is not complete: {}", folder, hole);
    }
    return counts[0];
  }

  /**
   * Gives what earlier ApplicationMasters of this job wrote, up to the first event that is missing,
   * one by one. It is read from the files each time.
   */
  public void readEarlier(EventConsumer events) throws IOException {
    read(fs, folder, earlierFiles, 0, events);
  }

  /** How many events that is. */
  public long earlierEventCount() {
    return earlierEventCount;
  }

  /** What earlier ApplicationMasters wrote and cannot be read; empty when nothing is missing. */
  public String missing() {
    return missing;
  }

  /** Which ApplicationMaster this one is, from 1. */
  public int attempt() {
    return attempt;
  }

  /** How many lines, those of earlier ApplicationMasters among them, can be read back. */
  public long readableLineCount() {
    return lineIndex.count();
  }

  /**
   * Reads lines back: at least one, and no more than the first that reaches so many characters
   * together.
   *
   * @param from the number of the first, below {@link #readableLineCount}
   */
  public List<String> read(long from, long maxCharacters) throws IOException {
    return lineIndex.read(from, maxCharacters);
  }

  /**
   * Begins to write. The listener is given the last of what was written earlier, and then, by a
   * thread of the log's, what is written from now on, or cannot be written for too long.
   */
  public void start(Listener listener) throws IOException {
    List<String> last = new ArrayList<>();
    long first = Math.max(0, earlierEventCount - MAX_REPLAYED_LINES);
    while (first + last.size() < earlierEventCount) {
      last.addAll(lineIndex.read(first + last.size(), Long.MAX_VALUE));
    }
    listener.onLines(first, last);
    appender.start(listener);
  }

  @Override
  public void record(List<JobEvent> decision) {
    List<String> lines = new ArrayList<>();
    for (JobEvent event : decision) {
      lines.add(EventJson.write(event, lines.size() + 1 < decision.size()));
    }
    if (!lines.isEmpty()) {
      appender.append(lines, decision.get(0).session());
    }
  }

  /**
   * Does something, by the thread that tells, once all that was appended before is in the file:
   * what follows from a fact must not be known to anybody when the fact is lost. Where the file
   * cannot be written for too long it is done all the same.
   */
  @Override
  public void runWhenDurable(Runnable step) {
    appender.runWhenDurable(step);
  }

  /**
   * Returns when all that was appended is in the file and told, and the file is closed; or after 10
   * s, when the file system does not take it: then it is told without.
   */
  @Override
  public void close() {
    appender.close();
  }

  /**
   * The same where another ApplicationMaster is to go on from what is written: what is not written
   * in time is not told either.
   */
  public void closeForTakeover() {
    appender.closeForTakeover();
  }
}
