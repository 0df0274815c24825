package io.tony.eventlog;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log as it grows, running or ended: each look gives the lines of all decisions that were added
 * since the look before. For one thread.
 */
public final class LogTail {
  private static final Logger LOG = LoggerFactory.getLogger(LogTail.class);

  /** Takes the lines in their order, as {@link EventJson} writes them. */
  @FunctionalInterface
  public interface Lines {
    void line(String line) throws IOException;
  }

  /** A later file, and the first line in it. */
  private record Begun(LogFile file, String line) {}

  private final FileSystem fs;
  private final Path folder;
  private LogFile current; // null before there is one
  private long position; // in it
  private long count; // of lines, in all files
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
   * Gives no more of what is new than the decision with which so many characters are reached; the
   * next look goes on there.
   *
   * @return whether that was all
   * @throws UnreadableLogException when something stands there that no ApplicationMaster wrote
   */
  public boolean read(long most, Lines lines) throws IOException {
    Begun next;
    long left = most;
    do {
      // Looked for before the rest is read: whoever has written a line there has closed this one.
      next = next();
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
  private Begun next() throws IOException {
    for (LogFile file : LogFile.in(fs, folder, LogFile.MOST)) {
      if (current == null || isAfter(file)) {
        String[] first = {null};
        file.read(
            fs,
            (line, offset) -> {
              first[0] = line;
              return false;
            });
        if (first[0] != null) {
          return new Begun(file, first[0]);
        }
      }
    }
    return null;
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

  /** Returns how many characters it has read; fewer than {@code most} are all that are there. */
  private long readOn(long most, Lines lines) throws IOException {
    long taken = 0;
    try (LineReader in = new LineReader(fs, current.path(), position)) {
      List<String> group = new ArrayList<>();
      long size = 0;
      for (String line = in.next(); line != null && taken < most; ) {
        long end = in.position();
        String following = in.next();
        size += line.length() + 1;
        if (line.isEmpty() && group.isEmpty()) {
          // The end of a line that was taken without it, or one of millions that hold nothing.
          position = end;
          taken += size;
          size = 0;
        } else {
          if (!line.isEmpty()) {
            group.add(line);
          }
          boolean whole =
              !line.isEmpty()
                  && !EventJson.hasMore(line)
                  && (following != null || LogFile.isEvent(line));
          if (whole) {
            give(group, lines);
            position = end;
            taken += size;
            group.clear();
            size = 0;
          } else if (size > LogFile.MOST_DECISION) {
            throw UnreadableLogException.ofDecision(
                current.path(), position, LogFile.MOST_DECISION);
          }
        }
        line = following;
      }
    } catch (EOFException e) {
      LOG.debug("{} is shorter than it was a moment ago", current.path(), e);
    }
    return taken;
  }

  private void give(List<String> group, Lines lines) throws IOException {
    for (String line : group) {
      if (skipped > 0) {
        skipped--;
      } else {
        count++;
        lines.line(line);
      }
    }
  }
}
