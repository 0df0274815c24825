package io.tony.executor.program;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * What {@code /proc/PID/stat} says of a process, in the format of proc(5).
 *
 * @param ticks the time that it, and the children that it has waited for, have used so far
 * @param started when it was forked, after the machine's start
 */
public record ProcessStat(long parent, long session, long ticks, Duration started) {
  /** Linux counts in hundredths of a second on all architectures that Hadoop runs on. */
  static final long TICK_MS = 10;

  /** Positions behind the command's name, which may hold blanks and brackets. */
  private static final int PARENT = 1;

  private static final int SESSION = 3;
  private static final int FIRST_TIME = 11; // utime, stime, cutime, cstime
  private static final int TIMES = 4;
  private static final int STARTED = 19;

  /**
   * Reads that of a process.
   *
   * @param pid its number, or {@code self}
   * @return null where it has ended meanwhile
   */
  public static ProcessStat of(String pid) {
    try {
      return parse(read("/proc/" + pid + "/stat"));
    } catch (IOException e) {
      return null;
    }
  }

  private static ProcessStat parse(String stat) {
    String afterName = stat.substring(stat.lastIndexOf(')') + 2);
    String[] fields = afterName.split(" ", STARTED + 2);
    long ticks = 0;
    for (int i = FIRST_TIME; i < FIRST_TIME + TIMES; i++) {
      ticks += Long.parseLong(fields[i]);
    }
    return new ProcessStat(
        Long.parseLong(fields[PARENT]),
        Long.parseLong(fields[SESSION]),
        ticks,
        Duration.ofMillis(Long.parseLong(fields[STARTED]) * TICK_MS));
  }

  /** The time since the machine's start, to the hundredth of a second. */
  static Duration uptime() throws IOException {
    String seconds = read("/proc/uptime").split(" ", 2)[0];
    return Duration.ofMillis(Long.parseLong(seconds.replace(".", "")) * TICK_MS);
  }

  /** A file of {@code /proc}. The name of a process in it may be cut within a letter. */
  static String read(String file) throws IOException {
    try (FileInputStream in = new FileInputStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }
}
