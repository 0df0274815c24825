package io.tony.am.http;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Logs rejected requests at a limited rate, so that callers cannot fill the log file. The first
 * rejection of each kind is logged at once; then at most one per minute, with the number of those
 * left out. Thread-safe.
 */
public final class RejectionLog {
  private static final long MIN_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  /**
   * Last logged line of a kind; {@code suppressedCount} is the number of rejections since then that
   * were not logged.
   */
  private record LastLine(long loggedAtNanos, long suppressedCount) {}

  private final String server;
  private final Consumer<String> log;
  private final LongSupplier nanoTime;
  private final Map<String, LastLine> lastLines = new HashMap<>();

  public RejectionLog(String server, Consumer<String> log, LongSupplier nanoTime) {
    this.server = server;
    this.log = log;
    this.nanoTime = nanoTime;
  }

  /**
   * Logs that a request was rejected.
   *
   * @param cap name of the exceeded limit; there must be few different names
   * @param detail what happened; control characters in it are replaced
   */
  public void logRejection(String cap, String detail) {
    note("cap on " + cap, detail);
  }

  /** Like {@link #logRejection}, for an event that is not a rejection. */
  public synchronized void note(String kind, String detail) {
    long now = nanoTime.getAsLong();
    LastLine last = lastLines.get(kind);
    if (last != null && now - last.loggedAtNanos() < MIN_INTERVAL_NANOS) {
      lastLines.put(kind, new LastLine(last.loggedAtNanos(), last.suppressedCount() + 1));
      return;
    }
    String more =
        last == null || last.suppressedCount() == 0
            ? ""
            : ", and " + last.suppressedCount() + " before";
    lastLines.put(kind, new LastLine(now, 0));
    log.accept(server + ": " + kind + ": " + sanitize(detail) + more);
  }

  private static String sanitize(String text) {
    String line = text.length() <= 200 ? text : text.substring(0, 200) + "...";
    return line.replaceAll("[^\\x20-\\x7e]", "?");
  }
}
