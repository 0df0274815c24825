package io.tony.eventlog;

import io.tony.eventlog.EventLog.Listener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is to be told and done, in order, once the log has been written so far. Not thread-safe. */
final class Untold {
  private static final Logger LOG = LoggerFactory.getLogger(Untold.class);

  /** Either lines or a step; {@code end} counts the lines of the log up to here. */
  private record Entry(List<String> lines, Runnable step, long end) {}

  /** What may be told and done now. */
  record Due(List<Entry> entries) {
    static final Due NOTHING = new Due(List.of());

    boolean isEmpty() {
      return entries.isEmpty();
    }

    void tell(Listener listener) {
      List<String> told = entries.stream().flatMap(entry -> entry.lines().stream()).toList();
      if (!told.isEmpty()) {
        long end = entries.get(entries.size() - 1).end();
        guarded(() -> listener.told(end - told.size(), told));
      }
      entries.stream().map(Entry::step).filter(Objects::nonNull).forEach(Untold::guarded);
    }
  }

  private final Deque<Entry> entries = new ArrayDeque<>();

  void add(List<String> lines, long end) {
    entries.add(new Entry(lines, null, end));
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

  /** Takes what is due when the log has so many lines. */
  Due take(long written) {
    List<Entry> due = new ArrayList<>();
    while (!entries.isEmpty() && entries.peek().end() <= written) {
      due.add(entries.remove());
    }
    return new Due(due);
  }

  /** What fails is one answer to one caller, and no reason to be silent to the others. */
  static void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      LOG.error("What follows from an event failed", e);
    }
  }
}
