package io.tony.am.serve;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Tells the log which cap a caller met: the first at once, and then one line a minute with how many
 * they were meanwhile. Callers decide how many there are; they must not fill the log. Thread-safe.
 */
public final class RefusalLog {
  private static final long ONE_LINE_EACH_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** {@code untold} came after the last line. */
  private record Told(long atNanos, long untold) {}

  private final String server;
  private final Consumer<String> log;
  private final LongSupplier nanoTime;
  private final Map<String, Told> told = new HashMap<>();

  public RefusalLog(String server, Consumer<String> log, LongSupplier nanoTime) {
    this.server = server;
    this.log = log;
    this.nanoTime = nanoTime;
  }

  /**
   * A caller was refused.
   *
   * @param cap one of few
   * @param what happened to this caller; what it sent itself is made harmless here
   */
  public void tell(String cap, String what) {
    note("cap on " + cap, what);
  }

  /** The same for what is no refusal. */
  public synchronized void note(String kind, String what) {
    long now = nanoTime.getAsLong();
    Told last = told.get(kind);
    if (last != null && now - last.atNanos() < ONE_LINE_EACH_NANOS) {
      told.put(kind, new Told(last.atNanos(), last.untold() + 1));
      return;
    }
    String more = last == null || last.untold() == 0 ? "" : ", and " + last.untold() + " before";
    told.put(kind, new Told(now, 0));
    log.accept(server + ": " + kind + ": " + harmless(what) + more);
  }

  private static String harmless(String text) {
    String line = text.length() <= 200 ? text : text.substring(0, 200) + "...";
    return line.replaceAll("[^\\x20-\\x7e]", "?");
  }
}
