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
 * The event log of a job: its events, in order, in one folder with one or more files per
 * ApplicationMaster. Appending never waits for the file system: one thread writes all pending lines
 * and flushes them to HDFS's data nodes; another thread then notifies the listener of these lines,
 * and runs the steps that waited for them. So a later ApplicationMaster can read every event that
 * the listener was notified of.
 *
 * <p>The events of one decision are read completely or not at all. While the file system fails,
 * notifications and steps wait for the lines to be written. After the write timeout they no longer
 * wait, and a {@link JobEvent.Type#LOG_BEHIND} is recorded; the unwritten lines are kept and
 * written once the file system works again.
 *
 * <p>When a later ApplicationMaster opens the log, this log is fenced: it no longer writes,
 * notifies or runs steps.
 */
public final class EventLog implements Journal, AutoCloseable {
  /** Is notified of new lines of the log, in the format of {@link EventJson}. */
  @FunctionalInterface
  public interface Listener {
    /**
     * Called with new lines; {@code first} is the number of the first of these lines in the log,
     * from 0.
     */
    void onLines(long first, List<String> lines);
  }

  /**
   * Timeouts and intervals of an event log.
   *
   * @param closeTimeout maximum time that {@link #close} waits for the end of each of the two
   *     threads
   * @param writeTimeout time that notifications wait until their lines are written; after it, they
   *     are delivered although the lines are not written
   * @param fencingTimeout maximum time to wait until the files of earlier ApplicationMasters are
   *     closed
   * @param maxRetryDelay maximum delay between two attempts to write
   * @param ownershipCheckInterval time without new lines after which the log checks whether a later
   *     ApplicationMaster has opened it
   * @param nanoClock clock in nanoseconds that measures the timeouts and the interval
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

  /**
   * Maximum number of lines of earlier ApplicationMasters of which the listener is notified at the
   * start.
   */
  private static final int MAX_REPLAYED_LINES = 1_000;

  private final FileSystem fs;
  private final Path folder;
  private final int attempt;
  private final List<LogFile> earlierFiles;
  private final String missing;
  private final LineIndex lineIndex;
  private final long earlierEventCount;
  private final Appender appender;

  /**
   * {@code earlierFiles}, the files of earlier ApplicationMasters, must be closed, so that they can
   * no longer change.
   */
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
   * Opens the event log for one ApplicationMaster and fences earlier ApplicationMasters. Creates
   * the folder if it is missing, and a log file for this attempt, which must not exist yet.
   *
   * @param attempt number of the ApplicationMaster's attempt, from 1
   * @param onFenced called by the writer thread when a later ApplicationMaster has fenced this log
   * @throws ForeignLogException if the folder, or a log file in the folder, belongs to another user
   * @throws IOException also if a later ApplicationMaster has opened the log, or if the files of an
   *     earlier ApplicationMaster cannot be closed
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
    // Create the file of this attempt before listing the other files: an earlier ApplicationMaster
    // that creates another file after the listing then finds this file, and stops (see
    // LogFileWriter).
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

  /**
   * Returns an exception that explains why {@code folder} cannot be created or written: it names
   * the owner of the folder, or of the lowest existing folder above, which denied the access.
   * Returns {@code denied} if no such folder can be found.
   */
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
        // The folder itself does not exist, so the existing folder above it denied the access.
      }
    }
    return denied;
  }

  /** Returns the folder of an application's event log in the history folder {@code history}. */
  public static Path folder(Path history, String application) {
    return new Path(history, application);
  }

  /** Returns true if a process still has a file of the log in {@code folder} open for writing. */
  public static boolean isBeingWritten(FileSystem fs, Path folder) throws IOException {
    for (LogFile file : LogFile.list(fs, folder)) {
      if (Lease.isHeld(fs, file.path())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns true if the name and type of {@code entry} are those of a file that an
   * ApplicationMaster creates in the folder of its event log.
   */
  public static boolean isLogEntry(FileStatus entry) {
    Path file = entry.getPath();
    return entry.isFile()
        && (LogFile.isLogFile(file) || file.getName().startsWith(LogFileWriter.PROBE_PREFIX));
  }

  /**
   * Delivers the events of an application, running or finished, one by one: the events of a job
   * that runs for months do not fit into memory. Skips decisions that were not written completely.
   * To read only logs that belong to the user of the job, pass an {@link OwnerCheckedFileSystem} as
   * {@code fs}.
   *
   * @param from number of events to skip at the beginning
   * @return number of events in the log, including the skipped ones; 0 if there is no log
   */
  public static long read(FileSystem fs, Path folder, long from, EventConsumer events)
      throws IOException {
    return read(fs, folder, LogFile.list(fs, folder), from, events);
  }

  private static long read(
      FileSystem fs, Path folder, List<LogFile> files, long from, EventConsumer events)
      throws IOException {
    long[] counts = {0, 0}; // number of all events; number of delivered events of an unknown type
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
   * Delivers the events that earlier ApplicationMasters of this job wrote, one by one, up to the
   * first gap. Reads their files on each call.
   */
  public void readEarlier(EventConsumer events) throws IOException {
    read(fs, folder, earlierFiles, 0, events);
  }

  /** Returns the number of events that {@link #readEarlier} delivers. */
  public long earlierEventCount() {
    return earlierEventCount;
  }

  /**
   * Returns a description, for display, of the events of earlier ApplicationMasters that are
   * missing in the log; empty if none are.
   */
  public String missing() {
    return missing;
  }

  /** Returns the number of this ApplicationMaster's attempt, from 1. */
  public int attempt() {
    return attempt;
  }

  /**
   * Returns the number of durable lines in the log, including the lines of earlier
   * ApplicationMasters.
   */
  public long readableLineCount() {
    return lineIndex.count();
  }

  /**
   * Reads durable lines: at least one, and further ones until they have {@code maxCharacters}
   * characters in total.
   *
   * @param from number of the first line in the log, below {@link #readableLineCount}
   */
  public List<String> read(long from, long maxCharacters) throws IOException {
    return lineIndex.read(from, maxCharacters);
  }

  /**
   * Starts the two threads. Before that, notifies {@code listener} in the calling thread of the
   * last lines of earlier ApplicationMasters; from then on, the notifier thread notifies it of all
   * lines that have been written or have waited for the write timeout.
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
   * Runs {@code step} in the notifier thread once all lines appended before this call are durable.
   * So no other process sees the effect of a decision that may still be lost. After the write
   * timeout, runs the step although the lines are not durable.
   */
  @Override
  public void runWhenDurable(Runnable step) {
    appender.runWhenDurable(step);
  }

  /**
   * Closes the event log after all appended lines were written and the listener was notified of
   * them. If writing takes longer than the close timeout (10 s), the listener is notified of the
   * remaining lines although they are not written.
   */
  @Override
  public void close() {
    appender.close();
  }

  /**
   * Like {@link #close}, but for the case that YARN starts another ApplicationMaster for the job:
   * if lines are not written within the close timeout, the listener is not notified of them,
   * because the next ApplicationMaster will not know them.
   */
  public void closeForTakeover() {
    appender.closeForTakeover();
  }
}
