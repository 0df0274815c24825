package io.tony.executor.settings;

import io.tony.text.Strings;
import java.io.PrintStream;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * Writes log lines to the executor's standard output, which is the file {@code executor.log}.
 * Replaces the cluster's logging library, whose start takes a fifth of a second of CPU time in each
 * container of a gang.
 */
public final class ExecutorLog {
  private static final PrintStream OUT = System.out;
  private static final int MAX_CHARS = 4096;
  private static final int SECOND_LENGTH = "2026-01-01T00:00:00".length();

  private final String name;

  public ExecutorLog(Class<?> from) {
    this.name = from.getSimpleName();
  }

  public void info(String text) {
    write("INFO ", text, null);
  }

  public void warn(String text) {
    write("WARN ", text, null);
  }

  public void warn(String text, Throwable cause) {
    write("WARN ", text, cause);
  }

  public void error(String text) {
    write("ERROR", text, null);
  }

  public void error(String text, Throwable cause) {
    write("ERROR", text, cause);
  }

  /**
   * Returns the current UTC time, always of the same length. Avoids {@code DateTimeFormatter},
   * whose classes are slow to load.
   */
  private static String time() {
    long millis = System.currentTimeMillis();
    String second = LocalDateTime.ofEpochSecond(millis / 1000, 1, ZoneOffset.UTC).toString();
    return second.substring(0, SECOND_LENGTH)
        + "."
        + Long.toString(1000 + millis % 1000).substring(1)
        + "Z";
  }

  /**
   * Replaces control characters by blanks, because some messages contain text from a server or a
   * program, and truncates the text to {@code MAX_CHARS} characters.
   */
  private static String singleLine(String text) {
    StringBuilder plain = new StringBuilder(Strings.truncate(text, MAX_CHARS));
    for (int i = 0; i < plain.length(); i++) {
      if (Character.isISOControl(plain.charAt(i))) {
        plain.setCharAt(i, ' ');
      }
    }
    return plain.toString();
  }

  private void write(String level, String text, @Nullable Throwable cause) {
    String line = time() + " " + level + " " + name + ": " + singleLine(text);
    synchronized (OUT) {
      OUT.println(line);
      if (cause != null) {
        cause.printStackTrace(OUT);
      }
    }
  }
}
