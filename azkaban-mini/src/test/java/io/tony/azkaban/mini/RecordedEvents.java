package io.tony.azkaban.mini;

import azkaban.executor.Status;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Remembers an execution's events, and lets a test wait for one. */
final class RecordedEvents implements FlowListener {

  private static final long PATIENCE_S = 300;

  private final List<LogLine> lines = new CopyOnWriteArrayList<>();
  private final List<String> changes = new CopyOnWriteArrayList<>();

  @Override
  public synchronized void jobLogged(LogLine line) {
    lines.add(line);
    notifyAll();
  }

  @Override
  public synchronized void jobChanged(JobUpdate update) {
    changes.add(update.job() + "#" + update.attempt() + " " + update.status());
    notifyAll();
  }

  /** Each as {@code job#attempt STATUS}. */
  List<String> changes() {
    return changes;
  }

  List<String> lines(String job) {
    return lines.stream().filter(line -> line.job().equals(job)).map(LogLine::text).toList();
  }

  /** Waits for the job's line that begins so, and returns the rest of it. */
  String awaitLine(String job, String prefix) throws InterruptedException {
    Predicate<String> wanted = line -> line.startsWith(prefix);
    await(() -> lines(job).stream().anyMatch(wanted), "a line of " + job + " with " + prefix);
    return lines(job).stream().filter(wanted).findFirst().orElseThrow().substring(prefix.length());
  }

  /** All events that the job's log has told to programs so far. */
  List<ToldEvent> told(String job) {
    return lines(job).stream().flatMap(ToldEvent::of).toList();
  }

  /** Waits for the first event of the type that the job's log tells to programs. */
  ToldEvent awaitTold(String job, String type) throws InterruptedException {
    Predicate<ToldEvent> wanted = event -> event.type().equals(type);
    await(() -> told(job).stream().anyMatch(wanted), type + " of " + job);
    return told(job).stream().filter(wanted).findFirst().orElseThrow();
  }

  void awaitChange(String job, int attempt, Status status) throws InterruptedException {
    String change = job + "#" + attempt + " " + status;
    await(() -> changes.contains(change), change);
  }

  private synchronized void await(Condition condition, String what) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
    while (!condition.holds()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw new AssertionError("no " + what + " within " + PATIENCE_S + " s; " + changes);
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  private interface Condition {
    boolean holds();
  }
}
