package io.tony.executor.program;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Decides whether a program hangs: during a whole time window, none of its files has changed, and
 * its processes together have used less than 1 % of a core. Times passed to this class are
 * durations since any fixed moment. Not thread-safe.
 */
final class HangDetector {
  private static final int SAMPLES_PER_WINDOW = 20;
  private static final Duration MIN_INTERVAL = Duration.ofMillis(20);
  private static final int MAX_IDLE_PERCENT = 1;

  /**
   * Signs of a program's activity, read at one moment.
   *
   * @param files strings that change whenever one of the program's files changes
   * @param cpu CPU time used so far by the program's current processes; decreases when one of them
   *     ends
   */
  record Activity(List<String> files, Duration cpu) {
    Activity {
      files = List.copyOf(files);
    }
  }

  /**
   * An observed activity.
   *
   * @param at when it was observed
   * @param work sum of all changes of the CPU time since the first observation
   */
  private record Observation(Duration at, Activity activity, Duration work) {}

  private final Duration window;
  private final Deque<Observation> observations = new ArrayDeque<>();

  HangDetector(Duration window) {
    this.window = window;
  }

  /** Returns the time that should pass between two calls of {@link #observe}. */
  Duration interval() {
    Duration share = window.dividedBy(SAMPLES_PER_WINDOW);
    return share.compareTo(MIN_INTERVAL) < 0 ? MIN_INTERVAL : share;
  }

  /** Records the activity at the time {@code now}. Returns true if the program hangs. */
  boolean observe(Duration now, Activity activity) {
    Observation last = observations.peekLast();
    Duration work = last == null ? Duration.ZERO : last.work().plus(work(last, activity));
    if (last != null && (filesChanged(last, activity) || hasGap(last, now))) {
      observations.clear();
    }
    observations.addLast(new Observation(now, activity, work));
    dropOldObservations(now);
    Observation first = observations.peekFirst();
    Duration observedTime = now.minus(first.at());
    return observedTime.compareTo(window) >= 0 && isIdle(work.minus(first.work()), observedTime);
  }

  /**
   * Returns the absolute value of the change of the CPU time since {@code last}. A decrease counts,
   * too: it means that a process has ended, which is activity.
   */
  private static Duration work(Observation last, Activity activity) {
    return activity.cpu().minus(last.activity().cpu()).abs();
  }

  private static boolean filesChanged(Observation last, Activity activity) {
    return !last.activity().files().equals(activity.files());
  }

  /**
   * Returns true if the time since {@code last} is so long that observations must be missing,
   * because the executor was suspended. The program was then perhaps suspended, too.
   */
  private boolean hasGap(Observation last, Duration now) {
    return now.minus(last.at()).compareTo(window.dividedBy(2)) > 0
        && now.minus(last.at()).compareTo(interval().multipliedBy(3)) > 0;
  }

  /**
   * Drops the observations before the window, but keeps the last of them, so that the whole window
   * is covered.
   */
  private void dropOldObservations(Duration now) {
    while (observations.size() > 1) {
      Observation first = observations.removeFirst();
      if (now.minus(observations.peekFirst().at()).compareTo(window) < 0) {
        observations.addFirst(first);
        return;
      }
    }
  }

  private static boolean isIdle(Duration work, Duration observedTime) {
    return work.multipliedBy(100).compareTo(observedTime.multipliedBy(MAX_IDLE_PERCENT)) < 0;
  }
}
