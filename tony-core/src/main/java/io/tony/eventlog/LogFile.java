package io.tony.eventlog;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * What one ApplicationMaster wrote: {@code events.jsonl} of the first, {@code events-N.jsonl} of
 * the Nth, and {@code events.1.jsonl}, {@code events-N.1.jsonl} and so on, which it began when the
 * file before could not be written any more.
 *
 * @param roll 0 for the one that it began with
 */
record LogFile(Path path, int attempt, int roll) {
  private static final Pattern NAME =
      Pattern.compile("events(?:-(\\d{1,9}))?(?:\\.(\\d{1,9}))?\\.jsonl");

  /**
   * Characters of one decision: it is held in memory until it is whole. The largest that is written
   * is that of a gang of ten thousand tasks: some megabytes.
   */
  static final int MOST_DECISION = 64 * 1024 * 1024;

  /**
   * Files of one log: there is one for each ApplicationMaster, and for each time that the file
   * system failed it.
   */
  static final int MOST = 1_000;

  /** Takes the whole lines of a file, with the offsets at which they begin. */
  @FunctionalInterface
  interface Lines {
    /** Returns false when it wants no more. */
    boolean take(String line, long offset) throws IOException;
  }

  private record Line(String text, long offset) {}

  static LogFile of(Path folder, int attempt, int roll) {
    String name =
        "events" + (attempt == 1 ? "" : "-" + attempt) + (roll == 0 ? "" : "." + roll) + ".jsonl";
    return new LogFile(new Path(folder, name), attempt, roll);
  }

  static boolean isOne(Path file) {
    return NAME.matcher(file.getName()).matches();
  }

  /** Those that a folder holds, in their order; none where there is no folder. */
  static List<LogFile> in(FileSystem fs, Path folder) throws IOException {
    return in(fs, folder, Integer.MAX_VALUE);
  }

  /**
   * The same of a folder that may be anybody's work.
   *
   * @throws UnreadableLogException where there are more
   */
  static List<LogFile> in(FileSystem fs, Path folder, int most) throws IOException {
    List<LogFile> files = new ArrayList<>();
    try {
      RemoteIterator<FileStatus> all = fs.listStatusIterator(folder);
      while (all.hasNext()) {
        FileStatus file = all.next();
        Matcher name = NAME.matcher(file.getPath().getName());
        if (name.matches()) {
          files.add(
              new LogFile(file.getPath(), number(name.group(1), 1), number(name.group(2), 0)));
          if (files.size() > most) {
            throw UnreadableLogException.ofFiles(folder, most);
          }
        }
      }
    } catch (FileNotFoundException e) {
      return List.of();
    }
    files.sort(Comparator.comparingInt(LogFile::attempt).thenComparingInt(LogFile::roll));
    return files;
  }

  private static int number(String text, int otherwise) {
    return text == null ? otherwise : Integer.parseInt(text);
  }

  /**
   * Gives every line of a decision that is there as a whole. The last line may have been cut short
   * with the process that wrote it, and the last decision may lack lines.
   */
  void read(FileSystem fs, Lines lines) throws IOException {
    List<Line> group = new ArrayList<>();
    try (LineReader in = new LineReader(fs, path, 0)) {
      long size = 0;
      long offset = in.position();
      String text = in.next();
      while (text != null) {
        group.add(new Line(text, offset));
        size += text.length();
        offset = in.position();
        String next = in.next();
        boolean torn = next == null && !isEvent(text);
        if (!torn && !EventJson.hasMore(text)) {
          for (Line line : group) {
            if (!lines.take(line.text(), line.offset())) {
              return;
            }
          }
          group.clear();
          size = 0;
        } else if (size > MOST_DECISION) {
          throw UnreadableLogException.ofDecision(path, group.get(0).offset(), MOST_DECISION);
        }
        text = next;
      }
    }
  }

  /** The number that the first line tells of itself; -1 where it tells none, or there is none. */
  long firstNumber(FileSystem fs) throws IOException {
    long[] number = {-1};
    read(
        fs,
        (line, offset) -> {
          number[0] = EventJson.number(line);
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
