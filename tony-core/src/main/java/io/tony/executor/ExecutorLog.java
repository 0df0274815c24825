package io.tony.executor;

import java.io.PrintStream;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/**
 * Lines for {@code executor.log}, which the executor's standard output is. The cluster's own
 * logging takes a fifth of a second of CPU to begin with, in each container of a gang; these lines
 * are few.
 */
final class ExecutorLog {
  private static final PrintStream OUT = System.out;

  private final String name;

  ExecutorLog(Class<?> from) {
    this.name = from.getSimpleName();
  }

  void info(String text) {
    write("INFO ", text, null);
  }

  void warn(String text) {
    write("WARN ", text, null);
  }

  void warn(String text, Throwable cause) {
    write("WARN ", text, cause);
  }

  void error(String text, Throwable cause) {
    write("ERROR", text, cause);
  }

  private void write(String level, String text, Throwable cause) {
    LocalDateTime now = LocalDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.MILLIS);
    synchronized (OUT) {
      OUT.println(now + "Z " + level + " " + name + ": " + text);
      if (cause != null) {
        cause.printStackTrace(OUT);
      }
    }
  }
}
