package io.tony.history;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the summaries of finished jobs in a local file of JSON lines: a header, then one line for
 * each added and each removed job. Lines are appended; when most lines are obsolete, the file is
 * rewritten and replaced. The file can always be rebuilt from the event logs, so a missing or
 * damaged file is ignored, and also a file of another format version or of other history folders.
 * Only one process writes the file at a time; other processes read it.
 */
final class IndexFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IndexFile.class);

  private static final int VERSION = 2;

  /** Number of obsolete lines below which the file is never rewritten. */
  private static final int MIN_STALE_LINES = 1_000;

  /** Receives the changes that the file contains. */
  interface IndexListener {
    void onAdded(IndexedJob job);

    void onRemoved(String history, String application);
  }

  private final @Nullable Path file; // null for an index in memory only
  private final String header;
  // Null if another process has the lock, or if the lock file cannot be written.
  private @Nullable FileChannel lock;
  private int lines; // number of lines in the file; 0 if the file must be rewritten
  private boolean outdated; // the file lacks changes of earlier calls of write
  private boolean lockFailureLogged;

  /**
   * {@code file} is null for an index in memory only; {@code patterns} are the patterns of the
   * indexed history folders.
   */
  IndexFile(@Nullable Path file, List<String> patterns) {
    this.file = file;
    this.header =
        SummaryJson.object(
            json -> {
              json.writeNumberField("tonyHistoryIndex", VERSION);
              json.writeStringField("folders", String.join(" ", patterns));
            });
    if (file != null) {
      takeLock(file);
    }
  }

  /**
   * Tries to get the lock for writing the file. A failure is only logged, because the index works
   * without its file; the next write tries again.
   */
  private void takeLock(Path path) {
    try {
      lock = lock(path);
    } catch (IOException e) {
      if (!lockFailureLogged) {
        LOG.warn("{} cannot be written; its jobs are kept in memory alone: {}", path, e.toString());
      }
    }
    lockFailureLogged = true;
  }

  private @Nullable FileChannel lock(Path path) throws IOException {
    Path folder = path.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    FileChannel channel =
        FileChannel.open(
            path.resolveSibling(path.getFileName() + ".lock"),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      LOG.debug("This process has it open already", e);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    channel.close();
    if (!lockFailureLogged) {
      LOG.info("{} is written by another process, and only read here", path);
    }
    return null;
  }

  /**
   * Delivers the contents of the file in order. Delivers nothing, or only the first part, if the
   * file cannot be read.
   */
  void read(IndexListener listener) {
    if (file == null) {
      return;
    }
    try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      if (!header.equals(in.readLine())) {
        LOG.info("{} is of another version, or of other folders; it is made anew", file);
        return;
      }
      boolean complete = true;
      int count = 1;
      String next = in.readLine();
      for (String line = next; line != null; line = next) {
        next = in.readLine();
        complete &= parseLine(line, next == null, listener);
        count++;
      }
      lines = complete ? count : 0;
    } catch (NoSuchFileException e) {
      LOG.debug("There is no index yet", e);
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} cannot be read; what it lacks is read from the logs: {}", file, e.toString());
    }
  }

  /**
   * Parses one line and delivers it. Returns false if the line is malformed and is the last of the
   * file, which happens when the writing process dies.
   *
   * @throws IOException if any other line is malformed
   */
  private boolean parseLine(String line, boolean last, IndexListener listener) throws IOException {
    try {
      SummaryJson.ParsedObject parts = SummaryJson.parse(line);
      String history = parts.text("history").intern();
      if (parts.texts().containsKey("gone")) {
        listener.onRemoved(history, parts.text("gone"));
      } else {
        listener.onAdded(
            new IndexedJob(history, parts.requiredNumber("changed"), SummaryJson.read(parts)));
      }
      return true;
    } catch (IOException | RuntimeException e) {
      if (!last) {
        throw e;
      }
      LOG.info("The last line of {} was cut short, and is left out", file);
      return false;
    }
  }

  /**
   * Appends the changes to the file, or rewrites the file with all jobs if that is due. Only logs a
   * failure; the next call then rewrites the file.
   *
   * @param added jobs added to the index
   * @param gone jobs removed from the index
   * @param all all finished jobs in the index after these changes
   */
  void write(List<IndexedJob> added, List<IndexedJob> gone, List<IndexedJob> all) {
    if (file == null || (added.isEmpty() && gone.isEmpty() && !outdated)) {
      return;
    }
    if (lock == null) {
      outdated = true;
      // Another process may have written the file since this process last did, so the file must be
      // rewritten, which the number 0 means.
      lines = 0;
      takeLock(file);
    }
    if (lock == null) {
      return;
    }
    try {
      append(file, added, gone, all);
      outdated = false;
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} could not be written; it is made anew the next time: {}", file, e.toString());
      outdated = true;
      // The last line may be incomplete, so the file must be rewritten, which the number 0 means.
      lines = 0;
    }
  }

  private void append(
      Path path, List<IndexedJob> added, List<IndexedJob> gone, List<IndexedJob> all)
      throws IOException {
    int newLines = added.size() + gone.size();
    boolean rewriteDue = lines == 0 || lines + newLines > 2 * all.size() + MIN_STALE_LINES;
    if (rewriteDue) {
      rewrite(path, all);
    } else {
      try (BufferedWriter out =
          Files.newBufferedWriter(path, StandardCharsets.UTF_8, StandardOpenOption.APPEND)) {
        for (IndexedJob job : gone) {
          writeLine(out, removedLine(job));
        }
        for (IndexedJob job : added) {
          writeLine(out, addedLine(job));
        }
      }
      lines += newLines;
    }
  }

  private void rewrite(Path path, List<IndexedJob> all) throws IOException {
    Path next = path.resolveSibling(path.getFileName() + ".next");
    Files.deleteIfExists(next);
    // Only the owner may read the file, because it contains messages of users' programs.
    Files.createFile(
        next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try (BufferedWriter out = Files.newBufferedWriter(next, StandardCharsets.UTF_8)) {
      writeLine(out, header);
      for (IndexedJob job : all) {
        writeLine(out, addedLine(job));
      }
    }
    try {
      Files.move(next, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      throw new IOException(
          path + " cannot be replaced at once: name a file on a local disk for the index", e);
    }
    lines = all.size() + 1;
  }

  private static void writeLine(BufferedWriter out, String text) throws IOException {
    out.write(text);
    out.write('\n');
  }

  private static String addedLine(IndexedJob job) {
    return SummaryJson.object(
        json -> {
          writeHistory(json, job);
          json.writeNumberField("changed", job.modifiedMillis());
          SummaryJson.write(job.summary(), json);
        });
  }

  private static String removedLine(IndexedJob job) {
    return SummaryJson.object(
        json -> {
          writeHistory(json, job);
          json.writeStringField("gone", job.summary().application());
        });
  }

  private static void writeHistory(JsonGenerator json, IndexedJob job) throws IOException {
    json.writeStringField("history", job.history());
  }

  @Override
  public void close() throws IOException {
    if (lock != null) {
      lock.close();
    }
  }
}
