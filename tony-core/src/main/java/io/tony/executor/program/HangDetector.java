package io.tony.executor.program;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Decides when a program hangs: for a whole window of time, none of its files changed and its
 * processes used less than 1 % of a core. Time is an argument, counted from any fixed moment.
 */
final class HangDetector {
  private static final int SAMPLES_PER_WINDOW = 20;
  private static final Duration MIN_INTERVAL = Duration.ofMillis(20);
  private static final int MAX_IDLE_PERCENT = 1;

  /**
   * What can be seen of a program at one moment.
   *
   * @param files what changes whenever one of its files does
   * @param cpu the time that its processes have used; it falls when one of them goes
   */
  record Activity(List<String> files, Duration cpu) {
    Activity {
      files = List.copyOf(files);
    }
  }

  /** {@code work} adds up all changes of the time used, from the first look on. */
  private record Observation(Duration at, Activity activity, Duration work) {}

  private final Duration window;
  private final Deque<Observation> observations = new ArrayDeque<>();

  HangDetector(Duration window) {
    this.window = window;
  }

  /** How often the program is to be looked at. */
  Duration interval() {
    Duration share = window.dividedBy(SAMPLES_PER_WINDOW);
    return share.compareTo(MIN_INTERVAL) < 0 ? MIN_INTERVAL : share;
  }

  /** Takes a look into account; true when the program hangs. */
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

  /** A sum that falls is a sign of life, too: a process has ended. */
  private static Duration work(Observation last, Activity activity) {
    return activity.cpu().minus(last.activity().cpu()).abs();
  }

  private static boolean filesChanged(Observation last, Activity activity) {
    return !last.activity().files().equals(activity.files());
  }

  /** This process did not run for a while, and so perhaps neither did the program. */
  private boolean hasGap(Observation last, Duration now) {
    return now.minus(last.at()).compareTo(window.dividedBy(2)) > 0
        && now.minus(last.at()).compareTo(interval().multipliedBy(3)) > 0;
  }

  /** One sighting that is at least as old as the window stays. */
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
