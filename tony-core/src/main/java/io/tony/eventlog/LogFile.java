package io.tony.eventlog;

import io.tony.model.JobEvent;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file written by one ApplicationMaster: {@code events.jsonl} for the first, {@code
 * events-N.jsonl} for the Nth. When a file could not be written any more, the ApplicationMaster
 * continues in {@code events.1.jsonl}, {@code events-N.1.jsonl} and so on.
 *
 * @param attempt number of the ApplicationMaster's attempt, from 1
 * @param roll number of the file of this attempt; 0 for the first
 */
record LogFile(Path path, int attempt, int roll) {
  private static final Logger LOG = LoggerFactory.getLogger(LogFile.class);

  /** Receives the lines of a log in order, with the byte offsets at which they begin. */
  @FunctionalInterface
  interface EventVisitor {
    /** Returns false to stop the delivery. {@code event} is the parsed line. */
    boolean take(String line, long offset, JobEvent event) throws IOException;
  }

  private static final Pattern NAME =
      Pattern.compile("events(?:-(\\d{1,9}))?(?:\\.(\\d{1,9}))?\\.jsonl");

  /**
   * Maximum number of files of one log: an ApplicationMaster creates one at its start, and another
   * after each failure of the file system.
   */
  static final int MAX_FILES = 1_000;

  /** Maximum number of entries of a log's folder, including entries that are not log files. */
  private static final int MAX_ENTRIES = 10 * MAX_FILES;

  static LogFile of(Path folder, int attempt, int roll) {
    String name =
        "events" + (attempt == 1 ? "" : "-" + attempt) + (roll == 0 ? "" : "." + roll) + ".jsonl";
    return new LogFile(new Path(folder, name), attempt, roll);
  }

  static boolean isLogFile(Path file) {
    return NAME.matcher(file.getName()).matches();
  }

  /** Returns true if an ApplicationMaster with a later attempt number has begun to write. */
  static boolean isSuperseded(FileSystem fs, Path folder, int attempt) throws IOException {
    return list(fs, folder).stream().anyMatch(file -> file.attempt() > attempt);
  }

  /** Returns all log files of {@code folder} in order; empty if the folder does not exist. */
  static List<LogFile> list(FileSystem fs, Path folder) throws IOException {
    return list(fs, folder, Integer.MAX_VALUE);
  }

  /**
   * Like {@link #list(FileSystem, Path)}, but limited, for a folder that another user may have
   * filled.
   *
   * @throws UnreadableLogException if there are more than {@code maxFiles} log files or {@link
   *     #MAX_ENTRIES} entries
   */
  static List<LogFile> list(FileSystem fs, Path folder, int maxFiles) throws IOException {
    List<LogFile> files = new ArrayList<>();
    try {
      RemoteIterator<FileStatus> all = fs.listStatusIterator(folder);
      for (int entries = 1; all.hasNext(); entries++) {
        FileStatus file = all.next();
        if (entries > MAX_ENTRIES && maxFiles < Integer.MAX_VALUE) {
          throw UnreadableLogException.ofEntries(folder, MAX_ENTRIES);
        }
        Matcher name = NAME.matcher(file.getPath().getName());
        if (name.matches()) {
          files.add(
              new LogFile(file.getPath(), number(name.group(1), 1), number(name.group(2), 0)));
          if (files.size() > maxFiles) {
            throw UnreadableLogException.ofFiles(folder, maxFiles);
          }
        }
      }
    } catch (FileNotFoundException e) {
      return List.of();
    }
    files.sort(Comparator.comparingInt(LogFile::attempt).thenComparingInt(LogFile::roll));
    return files;
  }

  private static int number(String text, int defaultValue) {
    return text == null ? defaultValue : Integer.parseInt(text);
  }

  /**
   * Delivers the lines of all complete decisions. If the process that wrote the file died, the last
   * line may be cut short and the last decision may be incomplete. A line that is not an event is
   * the remainder of a failed write, and reading stops there: no later line was acknowledged as
   * written.
   */
  void read(FileSystem fs, EventVisitor events) throws IOException {
    try (DecisionReader in = new DecisionReader(fs, path, 0)) {
      while (in.next()) {
        if (in.isTrailingEmptyLine() || !readDecision(in, events)) {
          return;
        }
      }
    }
  }

  /**
   * Delivers the lines of one decision; returns false if {@code events} stopped the delivery or if
   * a line is not an event. Most decisions have one line, which is parsed once; for longer
   * decisions, all lines are parsed before the first is delivered.
   */
  boolean readDecision(DecisionReader in, EventVisitor events) throws IOException {
    if (!in.isOneLine() && !in.readLines((line, offset) -> event(line).isPresent())) {
      return false;
    }
    return in.readLines(
        (line, offset) -> {
          Optional<JobEvent> event = event(line);
          return event.isPresent() && events.take(line, offset, event.get());
        });
  }

  private Optional<JobEvent> event(String line) {
    try {
      return Optional.of(EventJson.read(line));
    } catch (IOException e) {
      LOG.warn("{} ends before a line that is no event", path);
      return Optional.empty();
    }
  }

  /**
   * Returns the number that the first line contains; -1 if there is no line, or none with a number.
   */
  long firstNumber(FileSystem fs) throws IOException {
    long[] number = {-1};
    read(
        fs,
        (line, offset, event) -> {
          number[0] = EventJson.numberOf(line);
          return false;
        });
    return number[0];
  }

  static boolean isEvent(String line) {
    try {
      EventJson.read(line);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
