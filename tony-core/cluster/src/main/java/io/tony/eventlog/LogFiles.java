package io.tony.eventlog;

import io.tony.model.JobEvent;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Reads the files of a log as one sequence of events. Files can overlap: lines whose write was not
 * acknowledged are written again to the next file. The first line of that file contains its number
 * in the log, and the file replaces all lines of earlier files from this number on.
 */
final class LogFiles {
  /** Receives the events in order, and before the events of each file the path of the file. */
  interface Visitor {
    default void begin(Path file) {}

    /**
     * Called for each event; {@code offset} is the byte offset of its line in the file passed to
     * the last call of {@link #begin}.
     */
    void event(JobEvent event, long offset) throws IOException;
  }

  private LogFiles() {}

  /**
   * Delivers all events up to the first missing event.
   *
   * @param files the log files, in the order of their lines
   * @return a description of the missing events, for display; empty if none are missing
   */
  static String read(FileSystem fs, List<LogFile> files, Visitor visitor) throws IOException {
    long[] first = new long[files.size()];
    for (int i = 0; i < first.length; i++) {
      first[i] = files.get(i).firstNumber(fs);
    }
    long[] count = {0};
    for (int i = 0; i < first.length; i++) {
      LogFile file = files.get(i);
      long end = replacedFrom(first, i + 1);
      if (end <= Math.max(first[i], count[0])) {
        // Skip this file, because a later file replaces all of its lines: the later file repeats
        // them, or begins before a gap in the log that precedes this file.
        continue;
      }
      if (first[i] > count[0]) {
        return file.path().getName()
            + " begins with event "
            + first[i]
            + " of the job, and the files before it have "
            + count[0];
      }
      visitor.begin(file.path());
      file.read(
          fs,
          (line, offset, event) -> {
            visitor.event(event, offset);
            count[0]++;
            return count[0] < end;
          });
    }
    return "";
  }

  private static long replacedFrom(long[] first, int from) {
    long lowest = Long.MAX_VALUE;
    for (int i = from; i < first.length; i++) {
      lowest = first[i] < 0 ? lowest : Math.min(lowest, first[i]);
    }
    return lowest;
  }
}
