package io.tony.eventlog;

import io.tony.eventlog.EventLog.Listener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queue of lines of which the listener is to be notified, and of steps to run. Each entry is due
 * when the log has a certain number of written lines. Not thread-safe.
 */
final class PendingNotifications {
  private static final Logger LOG = LoggerFactory.getLogger(PendingNotifications.class);

  /**
   * Either lines or a step, due when the log has {@code end} written lines. For lines, {@code step}
   * is {@link #noStep}; for a step, {@code lines} is empty.
   */
  private record Entry(List<String> lines, Runnable step, long end) {}

  /** The notifications and steps that are due. */
  record DueNotifications(List<Entry> entries) {
    static final DueNotifications NONE = new DueNotifications(List.of());

    boolean isEmpty() {
      return entries.isEmpty();
    }

    void deliver(Listener listener) {
      List<String> lines = entries.stream().flatMap(entry -> entry.lines().stream()).toList();
      if (!lines.isEmpty()) {
        long end = entries.get(entries.size() - 1).end();
        runLogged(() -> listener.onLines(end - lines.size(), lines));
      }
      entries.stream().map(Entry::step).forEach(PendingNotifications::runLogged);
    }
  }

  private static void noStep() {}

  private final Deque<Entry> entries = new ArrayDeque<>();

  void add(List<String> lines, long end) {
    entries.add(new Entry(lines, PendingNotifications::noStep, end));
  }

  void add(Runnable step, long end) {
    entries.add(new Entry(List.of(), step, end));
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  void clear() {
    entries.clear();
  }

  /**
   * Removes and returns the entries that are due when the log has {@code writtenCount} written
   * lines.
   */
  DueNotifications take(long writtenCount) {
    List<Entry> due = new ArrayList<>();
    while (!entries.isEmpty() && entries.peek().end() <= writtenCount) {
      due.add(entries.remove());
    }
    return new DueNotifications(due);
  }

  /**
   * Runs {@code step}. Logs an exception of the step instead of throwing it, so that the next
   * notifications are delivered nevertheless.
   */
  static void runLogged(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      LOG.error("What follows from an event failed", e);
    }
  }
}
