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
 * Where one ApplicationMaster writes: a file, and another one each time that the one before could
 * not be written. For one thread.
 *
 * <p>A later ApplicationMaster creates its own file before it looks for those of this one, and
 * closes them. This one creates a new file before it looks for those of a later one. Whoever comes
 * second sees the other: what is written here is read there, or is not written.
 */
final class LogFileWriter {
  /** Name of a file that shows whether the folder can be written again, before the attempt. */
  static final String PROBE_PREFIX = "probe-of-attempt-";

  private static final Logger LOG = LoggerFactory.getLogger(LogFileWriter.class);

  /** A failed program's last lines are in it: for the owner and the owner's group. */
  private static final FsPermission PERMISSION = new FsPermission((short) 0640);

  private final FileSystem fs;
  private final Path folder;
  private final int attempt;
  private final LineIndex lineIndex;
  private int roll;
  private FSDataOutputStream out; // null when it could not be written
  private long position;
  private boolean nextLineNumbered; // so is the next line

  /**
   * Creates the first file, which must not exist.
   *
   * @param lineIndex is told of what is written
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
   * What was read of the earlier files is in the lines.
   *
   * @param complete false where the earlier files have more, which is not to be read
   */
  void begin(boolean complete) {
    nextLineNumbered = !complete;
    lineIndex.begin(path());
  }

  /**
   * All files of the log, in their order.
   *
   * @throws ForeignLogException where one of them, or the folder, has another owner than this file:
   *     by it the file system shows what it calls this user
   */
  List<LogFile> listFiles() throws IOException {
    return LogFile.list(new OwnerCheckedFileSystem(fs, owner()), folder);
  }

  private String owner() throws IOException {
    try {
      return fs.getFileStatus(path()).getOwner();
    } catch (FileNotFoundException e) { // of a store that shows a file when it is closed
      return UserGroupInformation.getCurrentUser().getShortUserName();
    }
  }

  /** True when a later ApplicationMaster has begun. For any thread. */
  boolean isSuperseded() throws IOException {
    return LogFile.isSuperseded(fs, folder, attempt);
  }

  /**
   * Writes lines that are not safe yet, in a new file when the last try failed. They are safe when
   * it returns true. It returns false when a later ApplicationMaster has begun; then nothing was
   * written.
   *
   * @throws IOException when it is not known whether they were written
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
   * Writes and deletes a file that nobody reads: a full quota must not leave an empty file of the
   * log behind for every try.
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

  /** The last try failed: nothing more is written to this file. */
  void abandon() {
    if (out != null) {
      abandon(out);
      out = null;
    }
  }

  /** Closing a stream that has failed may take as long as the file system likes. */
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
