package io.tony.eventlog;

import io.tony.process.Spawner;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the lines of one ApplicationMaster to a log file, and to a new log file after each failed
 * write. Not thread-safe, except {@link #isSuperseded()}.
 *
 * <p>No line is lost when a later ApplicationMaster takes over. Both create a file before they look
 * for the files of the other: the later one then closes the files that it finds, and this writer
 * stops if it finds a file of the later one. Whichever looks second sees the other's file. So a
 * line written here is either read by the later ApplicationMaster, or this writer learns that it is
 * superseded and does not write the line.
 */
final class LogFileWriter {
  /** Prefix of the name of a file that {@link #probe} creates; the attempt number follows. */
  static final String PROBE_PREFIX = "probe-of-attempt-";

  private static final Logger LOG = LoggerFactory.getLogger(LogFileWriter.class);

  /**
   * Only the owner and the group may read the log, because it contains the last lines of failed
   * programs.
   */
  private static final FsPermission PERMISSION = new FsPermission((short) 0640);

  private final FileSystem fs;
  private final Path folder;
  private final int attempt;
  private final LineIndex lineIndex;
  private int roll;
  // Null after a failed write, until the next file was created.
  private @Nullable FSDataOutputStream out;
  private long position;
  private boolean nextLineNumbered; // the next line must contain its number in the log

  /**
   * Creates the first log file of this attempt, which must not exist.
   *
   * @param lineIndex receives the byte offsets of all written lines
   */
  LogFileWriter(FileSystem fs, Path folder, int attempt, LineIndex lineIndex) throws IOException {
    this.fs = fs;
    this.folder = folder;
    this.attempt = attempt;
    this.lineIndex = lineIndex;
    out = create(path());
  }

  private Path path() {
    return LogFile.of(folder, attempt, roll).path();
  }

  private FSDataOutputStream create(Path file) throws IOException {
    return fs.createFile(file).overwrite(false).permission(PERMISSION).build();
  }

  /**
   * Starts writing, after the files of earlier ApplicationMasters were read.
   *
   * @param complete false if those files have a gap and further lines after it; the first line
   *     written here then contains its number, so that readers ignore those further lines
   */
  void begin(boolean complete) {
    nextLineNumbered = !complete;
    lineIndex.begin(path());
  }

  /**
   * Returns all files of the log, in the order of their lines.
   *
   * @throws ForeignLogException if a file, or the folder, belongs to another user than the file of
   *     this writer; the owner of that file shows how the file system names the current user
   */
  List<LogFile> listFiles() throws IOException {
    return LogFile.list(new OwnerCheckedFileSystem(fs, owner()), folder);
  }

  private String owner() throws IOException {
    try {
      return fs.getFileStatus(path()).getOwner();
    } catch (FileNotFoundException e) {
      // Some stores show a file only after it has been closed. The current user created the file,
      // so the name of this user is the best guess.
      return UserGroupInformation.getCurrentUser().getShortUserName();
    }
  }

  /**
   * Returns true if a later ApplicationMaster has begun to write in the folder. May be called from
   * any thread.
   */
  boolean isSuperseded() throws IOException {
    return LogFile.isSuperseded(fs, folder, attempt);
  }

  /**
   * Writes lines and flushes them to the data nodes; creates a new file first if the previous write
   * failed.
   *
   * @return true if the lines are durable; false if a later ApplicationMaster has begun to write,
   *     in which case nothing was written
   * @throws IOException if the lines may or may not have been written
   */
  boolean write(List<String> batch) throws IOException {
    if (out == null && !roll()) {
      return false;
    }
    List<Long> offsets = new ArrayList<>();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (String line : batch) {
      String text = nextLineNumbered ? EventJson.withNumber(line, lineIndex.count()) : line;
      nextLineNumbered = false;
      offsets.add(position + bytes.size());
      bytes.writeBytes((text + "\n").getBytes(StandardCharsets.UTF_8));
    }
    FSDataOutputStream current = Objects.requireNonNull(out);
    bytes.writeTo(current);
    current.hflush();
    position += bytes.size();
    offsets.forEach(lineIndex::add);
    return true;
  }

  private boolean roll() throws IOException {
    probe();
    roll++;
    FSDataOutputStream next = create(path());
    if (isSuperseded(next)) {
      abandon(next);
      return false;
    }
    out = next;
    position = 0;
    nextLineNumbered = true;
    lineIndex.begin(path());
    LOG.warn("The event log goes on in {}", path());
    return true;
  }

  private boolean isSuperseded(FSDataOutputStream next) throws IOException {
    try {
      return isSuperseded();
    } catch (IOException | RuntimeException e) {
      abandon(next);
      throw e;
    }
  }

  /**
   * Checks that files can be written in the folder, with a test file that is then deleted. Without
   * this check, each retry would leave an empty log file while a quota is exceeded.
   */
  private void probe() throws IOException {
    Path file = new Path(folder, PROBE_PREFIX + attempt);
    FSDataOutputStream probe = fs.createFile(file).overwrite(true).build();
    try {
      probe.write('\n');
      probe.hflush();
      probe.close();
    } catch (IOException | RuntimeException e) {
      abandon(probe);
      throw e;
    } finally {
      fs.delete(file, false);
    }
  }

  /**
   * Stops using the current file, because a write to it failed. The next write creates a new file.
   */
  void abandon() {
    if (out != null) {
      abandon(out);
      out = null;
    }
  }

  /**
   * Closes {@code stream} in another thread, because closing a failed stream may block for a long
   * time.
   */
  private static void abandon(FSDataOutputStream stream) {
    try {
      Spawner.SYSTEM.startThread("event-log-abandoned", () -> close(stream));
    } catch (IOException e) {
      logLeftOpen(e);
    }
  }

  private static void close(FSDataOutputStream stream) {
    try {
      stream.close();
    } catch (IOException | RuntimeException e) {
      logLeftOpen(e);
    }
  }

  private static void logLeftOpen(Exception cause) {
    LOG.info("A file of the event log that failed is left open: {}", cause.toString());
  }

  void close() throws IOException {
    if (out != null) {
      out.close();
    }
  }
}
