package io.tony.eventlog;

import io.tony.model.JobEvent;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the event log of a running or finished job while it grows. Each read delivers the lines
 * that were added since the previous read, up to the last complete decision. Ignores lines that a
 * later ApplicationMaster would ignore, too. Not thread-safe.
 */
public final class LogTail {
  private static final Logger LOG = LoggerFactory.getLogger(LogTail.class);

  /**
   * Receives the lines of the log in order, in the format of {@link EventJson}, each with its
   * parsed event.
   */
  @FunctionalInterface
  public interface LineListener {
    void onLine(String line, JobEvent event) throws IOException;
  }

  /**
   * Maximum number of files that one read opens to find the next file that is not empty. If it
   * finds none, the next read continues the search.
   */
  static final int MAX_OPENED_FILES = 20;

  /** A file after the current one, and the first line of that file. */
  private record NextFile(LogFile file, String line) {}

  private final FileSystem fs;
  private final Path folder;
  private @Nullable LogFile current; // file being read; null until the first file was found
  private long position; // byte offset in the current file
  private boolean lastLineUnterminated; // the last line read has no line end
  // True if the line at the position is not an event; the rest of the current file is then ignored.
  private boolean damaged;
  private long lineCount; // number of lines delivered so far, from all files
  // Number of files after the current one that were opened and found to be empty.
  private int openedCount;
  // Number of lines to be skipped at the start of the current file, because earlier files contain
  // them, too; Long.MAX_VALUE to skip the whole file.
  private long linesToSkip;

  /** Reads from the beginning of the log in {@code folder}, the application's folder. */
  public LogTail(FileSystem fs, Path folder) {
    this.fs = fs;
    this.folder = folder;
  }

  /** Delivers all new lines; none if there is no log yet. */
  public void read(LineListener listener) throws IOException {
    read(Long.MAX_VALUE, listener);
  }

  /**
   * Like {@link #read(LineListener)}, but limits the amount. The log is a sequence of decisions:
   * groups of lines that belong together and are delivered together. This call stops after the
   * decision with which the size of all lines read reaches {@code maxChars}; the next call
   * continues after that decision. The size of a line is its number of characters plus a fixed
   * cost.
   *
   * @return false if this call stopped because of {@code maxChars}
   * @throws UnreadableLogException if a line, a decision or the number of files is larger than any
   *     that TonY writes
   */
  public boolean read(long maxChars, LineListener listener) throws IOException {
    NextFile next;
    long remainingChars = maxChars;
    List<LogFile> files = LogFile.list(fs, folder, LogFile.MAX_FILES);
    do {
      // Look for the next file before reading the rest of the current one: an ApplicationMaster
      // closes the current file before it writes to the next one, so the rest is complete.
      next = nextFile(files);
      if (current != null) {
        remainingChars -= readRest(current, remainingChars, listener);
      }
      if (remainingChars <= 0) {
        return false;
      }
      if (next != null) {
        switchTo(next);
      }
    } while (next != null);
    return true;
  }

  /** Returns the first file after the current one that is not empty; null if there is none yet. */
  private @Nullable NextFile nextFile(List<LogFile> files) throws IOException {
    List<LogFile> later = files.stream().filter(this::isAfterCurrent).toList();
    if (later.size() <= MAX_OPENED_FILES) {
      return firstOf(later);
    }
    for (int i = 0; i < MAX_OPENED_FILES; i++) {
      int at = openedCount++ % later.size();
      if (firstLine(later.get(at)) != null) {
        // One of the files before this one may have been written meanwhile, so search them again.
        return firstOf(later.subList(0, at + 1));
      }
    }
    return null;
  }

  private @Nullable NextFile firstOf(List<LogFile> files) throws IOException {
    for (LogFile file : files) {
      String line = firstLine(file);
      if (line != null) {
        return new NextFile(file, line);
      }
    }
    return null;
  }

  private @Nullable String firstLine(LogFile file) throws IOException {
    @Nullable String[] first = {null};
    file.read(
        fs,
        (line, offset, event) -> {
          first[0] = line;
          return false;
        });
    return first[0];
  }

  private boolean isAfterCurrent(LogFile file) {
    if (current == null) {
      return true;
    }
    return file.attempt() == current.attempt()
        ? file.roll() > current.roll()
        : file.attempt() > current.attempt();
  }

  private void switchTo(NextFile next) {
    long first = EventJson.numberOf(next.line());
    current = next.file();
    position = 0;
    lastLineUnterminated = false;
    damaged = false;
    openedCount = 0;
    linesToSkip = 0;
    if (first > lineCount) {
      LOG.warn(
          "The event log in {} is not complete: {} begins with event {}, and the files before it"
              + " have {}",
          folder,
          current.path().getName(),
          first,
          lineCount);
      // Lines before this file are missing, so skip the whole file; a later file may continue the
      // log without a gap.
      linesToSkip = Long.MAX_VALUE;
    } else if (first >= 0) {
      // Lines whose write was not acknowledged were written again to this file, so skip them here.
      linesToSkip = lineCount - first;
    }
  }

  /**
   * Delivers the rest of {@code file}, the current file, up to the decision in which the size of
   * the lines reaches {@code maxChars}. Returns the size of the lines read: their characters plus a
   * fixed cost for each line. It is less than {@code maxChars} if the end of the file was reached.
   */
  private long readRest(LogFile file, long maxChars, LineListener listener) throws IOException {
    long readChars = 0;
    try (DecisionReader in = new DecisionReader(fs, file.path(), position)) {
      while (readChars < maxChars && !damaged && in.next()) {
        if (in.isTrailingEmptyLine() && !lastLineUnterminated) {
          break;
        }
        boolean endOfLine = lastLineUnterminated && in.isEmpty();
        damaged =
            !endOfLine && !file.readDecision(in, (line, at, event) -> emit(line, event, listener));
        if (!damaged) {
          position = in.endOffset();
          lastLineUnterminated = in.lacksLineEnd();
          readChars += in.size();
        }
      }
    } catch (EOFException e) {
      LOG.debug("{} is shorter than it was a moment ago", file.path(), e);
    }
    return readChars;
  }

  private boolean emit(String line, JobEvent event, LineListener listener) throws IOException {
    if (linesToSkip > 0) {
      linesToSkip--;
    } else {
      lineCount++;
      listener.onLine(line, event);
    }
    return true;
  }

  /**
   * Returns true if a line of the current file is not an event, and no later file has continued the
   * log so far.
   */
  public boolean isDamaged() {
    return damaged;
  }
}
