package io.tony.eventlog;

import io.tony.model.JobEvent;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log as it grows, running or ended: each look gives the lines of all decisions that were added
 * since the look before, as far as a later ApplicationMaster would believe them. For one thread.
 */
public final class LogTail {
  private static final Logger LOG = LoggerFactory.getLogger(LogTail.class);

  /** Takes the lines in their order, as {@link EventJson} writes them, and what they say. */
  @FunctionalInterface
  public interface LineListener {
    void onLine(String line, JobEvent event) throws IOException;
  }

  /**
   * Maximum number of files that are opened in one look to find the next in which anything stands.
   * Of a folder with more empty ones, the next look goes on with the others.
   */
  static final int MAX_OPENED_FILES = 20;

  /** A later file, and the first line in it. */
  private record NextFile(LogFile file, String line) {}

  private final FileSystem fs;
  private final Path folder;
  private LogFile current; // null before there is one
  private long position; // in it
  private boolean
      lastLineUnterminated; // the line before the position was the last, and lacked its end
  private boolean damaged; // at the position is no event, and nothing behind it is read
  private long lineCount; // of lines, in all files
  private int openedCount; // later files that had nothing, as far as that was looked at
  private long linesToSkip; // lines at the begin of the current file that the one before has, too

  /** Gives all from the beginning; {@code folder} is the one of the application. */
  public LogTail(FileSystem fs, Path folder) {
    this.fs = fs;
    this.folder = folder;
  }

  /** Gives what is new; nothing where there is no log. */
  public void read(LineListener listener) throws IOException {
    read(Long.MAX_VALUE, listener);
  }

  /**
   * Gives no more of what is new than the decision with which so many characters are reached, some
   * counted for each line; the next look goes on there.
   *
   * @return whether that was all
   * @throws UnreadableLogException when something stands there that no ApplicationMaster wrote
   */
  public boolean read(long maxChars, LineListener listener) throws IOException {
    NextFile next;
    long remainingChars = maxChars;
    List<LogFile> files = LogFile.list(fs, folder, LogFile.MAX_FILES);
    do {
      // Looked for before the rest is read: whoever has written a line there has closed this one.
      next = nextFile(files);
      if (current != null) {
        remainingChars -= readCurrent(remainingChars, listener);
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

  /** The next file in which anything stands; null where there is none yet. */
  private NextFile nextFile(List<LogFile> files) throws IOException {
    List<LogFile> later = files.stream().filter(file -> current == null || isAfter(file)).toList();
    if (later.size() <= MAX_OPENED_FILES) {
      return firstOf(later);
    }
    for (int i = 0; i < MAX_OPENED_FILES; i++) {
      int at = openedCount++ % later.size();
      if (firstLine(later.get(at)) != null) {
        return firstOf(later.subList(0, at + 1)); // one before it may have been empty until now
      }
    }
    return null;
  }

  private NextFile firstOf(List<LogFile> files) throws IOException {
    for (LogFile file : files) {
      String line = firstLine(file);
      if (line != null) {
        return new NextFile(file, line);
      }
    }
    return null;
  }

  private String firstLine(LogFile file) throws IOException {
    String[] first = {null};
    file.read(
        fs,
        (line, offset, event) -> {
          first[0] = line;
          return false;
        });
    return first[0];
  }

  private boolean isAfter(LogFile file) {
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
      linesToSkip = Long.MAX_VALUE; // a later file may begin where the earlier ones end
    } else if (first >= 0) {
      // Lines that were written, but not known to be, were written again.
      linesToSkip = lineCount - first;
    }
  }

  /**
   * Returns how large what it has read is, in characters and some for each line; less than {@code
   * most} is all that is there.
   */
  private long readCurrent(long maxChars, LineListener listener) throws IOException {
    long readChars = 0;
    try (DecisionReader in = new DecisionReader(fs, current.path(), position)) {
      while (readChars < maxChars && !damaged && in.next()) {
        if (in.isTrailingEmptyLine() && !lastLineUnterminated) {
          break;
        }
        boolean endOfLine = lastLineUnterminated && in.isEmpty();
        damaged =
            !endOfLine
                && !current.readDecision(in, (line, at, event) -> emit(line, event, listener));
        if (!damaged) {
          position = in.endOffset();
          lastLineUnterminated = in.lacksLineEnd();
          readChars += in.size();
        }
      }
    } catch (EOFException e) {
      LOG.debug("{} is shorter than it was a moment ago", current.path(), e);
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

  /** Whether what was read last ends before a line that is no event, and no file goes on. */
  public boolean isDamaged() {
    return damaged;
  }
}
