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
 * What one ApplicationMaster wrote: {@code events.jsonl} of the first, {@code events-N.jsonl} of
 * the Nth, and {@code events.1.jsonl}, {@code events-N.1.jsonl} and so on, which it began when the
 * file before could not be written any more.
 *
 * @param roll 0 for the one that it began with
 */
record LogFile(Path path, int attempt, int roll) {
  private static final Logger LOG = LoggerFactory.getLogger(LogFile.class);

  /** Takes the lines of a log in their order, with the offsets at which they begin. */
  @FunctionalInterface
  interface EventVisitor {
    /** Returns false when it wants no more; {@code event} is what the line says. */
    boolean take(String line, long offset, JobEvent event) throws IOException;
  }

  private static final Pattern NAME =
      Pattern.compile("events(?:-(\\d{1,9}))?(?:\\.(\\d{1,9}))?\\.jsonl");

  /**
   * Files of one log: there is one for each ApplicationMaster, and for each time that the file
   * system failed it.
   */
  static final int MAX_FILES = 1_000;

  /** Maximum number of entries of a log's folder, those that are no files of a log among them. */
  private static final int MAX_ENTRIES = 10 * MAX_FILES;

  static LogFile of(Path folder, int attempt, int roll) {
    String name =
        "events" + (attempt == 1 ? "" : "-" + attempt) + (roll == 0 ? "" : "." + roll) + ".jsonl";
    return new LogFile(new Path(folder, name), attempt, roll);
  }

  static boolean isLogFile(Path file) {
    return NAME.matcher(file.getName()).matches();
  }

  /** Whether an ApplicationMaster after the one of this attempt has begun to write. */
  static boolean isSuperseded(FileSystem fs, Path folder, int attempt) throws IOException {
    return list(fs, folder).stream().anyMatch(file -> file.attempt() > attempt);
  }

  /** Those that a folder holds, in their order; none where there is no folder. */
  static List<LogFile> list(FileSystem fs, Path folder) throws IOException {
    return list(fs, folder, Integer.MAX_VALUE);
  }

  /**
   * The same of a folder that may be anybody's work.
   *
   * @throws UnreadableLogException where there are more
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
   * Gives every line of a decision that is there as a whole. The last line may have been cut short
   * with the process that wrote it, and the last decision may lack lines. A line that is no event
   * is what a write that failed has left: nothing behind it was known to be written, and it ends
   * the file.
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
   * Gives the lines of a decision; returns false when they were not all wanted, or one of them is
   * no event. Most decisions are one line, which is parsed once; of others all lines are parsed
   * before the first is given.
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

  /** The number that the first line tells of itself; -1 where it tells none, or there is none. */
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
