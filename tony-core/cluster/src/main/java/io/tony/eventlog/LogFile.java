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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of a job's event log, written by one ApplicationMaster: {@code events.jsonl} by the first,
 * {@code events-N.jsonl} by the Nth. After a failed write, the ApplicationMaster continues in
 * {@code events.1.jsonl} or {@code events-N.1.jsonl}, and so on.
 *
 * @param attempt number of the ApplicationMaster's attempt, from 1
 * @param roll number of the file among the files of this attempt, from 0
 */
record LogFile(Path path, int attempt, int roll) {
  private static final Logger LOG = LoggerFactory.getLogger(LogFile.class);

  /** Receives the lines of a log in order, each with the byte offset at which the line begins. */
  @FunctionalInterface
  interface EventVisitor {
    /**
     * Takes the next line; {@code event} is the parsed line. Returns false to stop: no further line
     * is delivered.
     */
    boolean take(String line, long offset, JobEvent event) throws IOException;
  }

  private static final Pattern NAME =
      Pattern.compile("events(?:-(\\d{1,9}))?(?:\\.(\\d{1,9}))?\\.jsonl");

  /**
   * Maximum number of files of one log. An ApplicationMaster creates one file at its start, and
   * another after each failure of the file system.
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

  /**
   * Returns true if an ApplicationMaster with a greater attempt number has begun to write in {@code
   * folder}.
   */
  static boolean isSuperseded(FileSystem fs, Path folder, int attempt) throws IOException {
    return list(fs, folder).stream().anyMatch(file -> file.attempt() > attempt);
  }

  /**
   * Returns all log files in {@code folder}, in the order of their lines; empty if the folder does
   * not exist.
   */
  static List<LogFile> list(FileSystem fs, Path folder) throws IOException {
    return list(fs, folder, Integer.MAX_VALUE);
  }

  /**
   * Like {@link #list(FileSystem, Path)}, but with limits, for a folder that another user may have
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

  private static int number(@Nullable String text, int defaultValue) {
    return text == null ? defaultValue : Integer.parseInt(text);
  }

  /**
   * Delivers the lines of all complete decisions. The last decision is incomplete if the process
   * that wrote the file died. Stops at a line that is not an event: such a line remains from a
   * failed write, and nothing after it in this file was acknowledged as written.
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
   * Delivers the lines of the current decision of {@code in} if all of them are events. Returns
   * false if a line is not an event, in which case no line is delivered, or if {@code events}
   * stopped the delivery.
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
   * Returns the number that the first line of the file contains ({@code n} of {@link EventJson});
   * -1 if there is no line, or no number in the line.
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
}
