package io.tony.eventlog;

import io.tony.process.Spawner;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the events of one ApplicationMaster to a file, and to a new file after each failure. Not
 * thread-safe, except {@link #isSuperseded()}.
 *
 * <p>A later ApplicationMaster creates its own file before it lists and closes the files of this
 * one. This ApplicationMaster creates a new file before it looks for files of a later one.
 * Whichever comes second sees the other's file; therefore a line that is written here is read
 * there, or it is not written.
 */
final class LogFileWriter {
  /**
   * Name prefix, before the attempt number, of a file that tests whether the folder is writable
   * again.
   */
  static final String PROBE_PREFIX = "probe-of-attempt-";

  private static final Logger LOG = LoggerFactory.getLogger(LogFileWriter.class);

  /**
   * The log contains the last lines of failed programs, so only the owner and the owner's group may
   * read it.
   */
  private static final FsPermission PERMISSION = new FsPermission((short) 0640);

  private final FileSystem fs;
  private final Path folder;
  private final int attempt;
  private final LineIndex lineIndex;
  private int roll;
  private FSDataOutputStream out; // null after a failed write
  private long position;
  private boolean nextLineNumbered; // the next line must contain its number

  /**
   * Creates the first file, which must not exist.
   *
   * @param lineIndex receives the offsets of all written lines
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
   * Starts writing after the earlier files were read.
   *
   * @param complete false if the earlier files contain further events, which are to be ignored by
   *     readers
   */
  void begin(boolean complete) {
    nextLineNumbered = !complete;
    lineIndex.begin(path());
  }

  /**
   * Returns all files of the log in order.
   *
   * @throws ForeignLogException if one of the files, or the folder, has another owner than the file
   *     of this writer, whose owner shows how the file system names the current user
   */
  List<LogFile> listFiles() throws IOException {
    return LogFile.list(new OwnerCheckedFileSystem(fs, owner()), folder);
  }

  private String owner() throws IOException {
    try {
      return fs.getFileStatus(path()).getOwner();
    } catch (FileNotFoundException e) { // some stores show a file only after it was closed
      return UserGroupInformation.getCurrentUser().getShortUserName();
    }
  }

  /**
   * Returns true if a later ApplicationMaster has begun to write. May be called from any thread.
   */
  boolean isSuperseded() throws IOException {
    return LogFile.isSuperseded(fs, folder, attempt);
  }

  /**
   * Writes lines and flushes them; uses a new file if the previous write failed.
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
    bytes.writeTo(out);
    out.hflush();
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
   * Writes and deletes a test file, so that a full quota does not cause an empty log file for each
   * retry.
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

  /** Stops using the current file after a failed write. */
  void abandon() {
    if (out != null) {
      abandon(out);
      out = null;
    }
  }

  /**
   * Closes the stream in another thread, because closing a failed stream may block for a long time.
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
