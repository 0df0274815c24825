package io.tony.eventlog;

import io.tony.model.JobEvent;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The files of a log as one sequence of lines. A file whose first line tells its number stands from
 * there on in the place of what the files before it have: lines that were written, but not known to
 * be, are written again.
 */
final class LogFiles {
  /** Takes the events in their order. */
  interface Visitor {
    default void begin(Path file) {}

    /** {@code offset} is where its line begins in the file that began last. */
    void event(JobEvent event, long offset) throws IOException;
  }

  private LogFiles() {}

  /**
   * Gives all events up to the first that is missing.
   *
   * @param files in their order
   * @return what is missing, for people; empty when nothing is
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
        continue; // all that is in it, or is missing before it, stands in a later file
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
