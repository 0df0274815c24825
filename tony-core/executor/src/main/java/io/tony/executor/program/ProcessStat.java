package io.tony.executor.program;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Statistics of a process, from {@code /proc/PID/stat}, see proc(5).
 *
 * @param parent ID of the parent process
 * @param session ID of the session
 * @param ticks CPU time used by the process and by those of its children that have ended and that
 *     it has waited for, in units of {@value #TICK_MS} ms
 * @param started when the process was forked, since the machine's start
 */
public record ProcessStat(long parent, long session, long ticks, Duration started) {
  /** Length of a tick in milliseconds; the same on all architectures that Hadoop runs on. */
  static final long TICK_MS = 10;

  /**
   * Positions of the fields in the part of the line after the command's name, counted from 0; the
   * name itself may contain blanks and brackets.
   */
  private static final int PARENT = 1;

  private static final int SESSION = 3;
  private static final int FIRST_TIME = 11; // the first of utime, stime, cutime, cstime
  private static final int TIMES = 4;
  private static final int STARTED = 19;

  /**
   * Reads the statistics of a process.
   *
   * @param pid process ID, or {@code self}
   * @return null if the process has ended
   */
  public static @Nullable ProcessStat of(String pid) {
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

  /** Returns the time since the machine's start, with a resolution of 10 ms. */
  static Duration uptime() throws IOException {
    String seconds = read("/proc/uptime").split(" ", 2)[0];
    return Duration.ofMillis(Long.parseLong(seconds.replace(".", "")) * TICK_MS);
  }

  /**
   * Reads a file of {@code /proc} as ISO-8859-1: Linux may truncate a process name within a UTF-8
   * character.
   */
  static String read(String file) throws IOException {
    try (FileInputStream in = new FileInputStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }
}
