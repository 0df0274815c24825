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
  public interface Lines {
    void line(String line, JobEvent event) throws IOException;
  }

  /**
   * Maximum number of files that are opened in one look to find the next in which anything stands.
   * Of a folder with more empty ones, the next look goes on with the others.
   */
  static final int MAX_OPENED = 20;

  /** A later file, and the first line in it. */
  private record Begun(LogFile file, String line) {}

  private final FileSystem fs;
  private final Path folder;
  private LogFile current; // null before there is one
  private long position; // in it
  private boolean unended; // the line before the position was the last, and lacked its end
  private boolean damaged; // at the position is no event, and nothing behind it is read
  private long count; // of lines, in all files
  private int opened; // later files that had nothing, as far as that was looked at
  private long skipped; // lines at the begin of the current file that the one before has, too

  /** Gives all from the beginning; {@code folder} is the one of the application. */
  public LogTail(FileSystem fs, Path folder) {
    this.fs = fs;
    this.folder = folder;
  }

  /** Gives what is new; nothing where there is no log. */
  public void read(Lines lines) throws IOException {
    read(Long.MAX_VALUE, lines);
  }

  /**
   * Gives no more of what is new than the decision with which so many characters are reached, some
   * counted for each line; the next look goes on there.
   *
   * @return whether that was all
   * @throws UnreadableLogException when something stands there that no ApplicationMaster wrote
   */
  public boolean read(long most, Lines lines) throws IOException {
    Begun next;
    long left = most;
    List<LogFile> files = LogFile.in(fs, folder, LogFile.MOST);
    do {
      // Looked for before the rest is read: whoever has written a line there has closed this one.
      next = next(files);
      if (current != null) {
        left -= readOn(left, lines);
      }
      if (left <= 0) {
        return false;
      }
      if (next != null) {
        turnTo(next);
      }
    } while (next != null);
    return true;
  }

  /** The next file in which anything stands; null where there is none yet. */
  private Begun next(List<LogFile> files) throws IOException {
    List<LogFile> later = files.stream().filter(file -> current == null || isAfter(file)).toList();
    if (later.size() <= MAX_OPENED) {
      return firstOf(later);
    }
    for (int i = 0; i < MAX_OPENED; i++) {
      int at = opened++ % later.size();
      if (firstLine(later.get(at)) != null) {
        return firstOf(later.subList(0, at + 1)); // one before it may have been empty until now
      }
    }
    return null;
  }

  private Begun firstOf(List<LogFile> files) throws IOException {
    for (LogFile file : files) {
      String line = firstLine(file);
      if (line != null) {
        return new Begun(file, line);
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

  private void turnTo(Begun next) {
    long first = EventJson.number(next.line());
    current = next.file();
    position = 0;
    unended = false;
    damaged = false;
    opened = 0;
    skipped = 0;
    if (first > count) {
      LOG.warn(
          "The event log in {} is not complete: {} begins with event {}, and the files before it"
              + " have {}",
          folder,
          current.path().getName(),
          first,
          count);
      skipped = Long.MAX_VALUE; // a later file may begin where the earlier ones end
    } else if (first >= 0) {
      // Lines that were written, but not known to be, were written again.
      skipped = count - first;
    }
  }

  /**
   * Returns how large what it has read is, in characters and some for each line; less than {@code
   * most} is all that is there.
   */
  private long readOn(long most, Lines lines) throws IOException {
    long taken = 0;
    try (DecisionReader in = new DecisionReader(fs, current.path(), position)) {
      while (taken < most && !damaged && in.next()) {
        if (in.isEmptyEnd() && !unended) {
          break;
        }
        boolean endOfLine = unended && in.isEmpty();
        damaged = !endOfLine && !current.give(in, (line, at, event) -> give(line, event, lines));
        if (!damaged) {
          position = in.end();
          unended = in.lacksItsEnd();
          taken += in.size();
        }
      }
    } catch (EOFException e) {
      LOG.debug("{} is shorter than it was a moment ago", current.path(), e);
    }
    return taken;
  }

  private boolean give(String line, JobEvent event, Lines lines) throws IOException {
    if (skipped > 0) {
      skipped--;
    } else {
      count++;
      lines.line(line, event);
    }
    return true;
  }

  /** Whether what was read last ends before a line that is no event, and no file goes on. */
  public boolean isDamaged() {
    return damaged;
  }
}
