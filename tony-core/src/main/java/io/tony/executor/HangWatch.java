package io.tony.executor;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Decides when a program hangs: for a whole window of time, none of its files changed and its
 * processes used less than 1 % of a core. Time is an argument, counted from any fixed moment.
 */
final class HangWatch {
  private static final int SAMPLES = 20;
  private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(20);
  private static final int IDLE_PERCENT = 1;

  /**
   * What can be seen of a program at one moment.
   *
   * @param files what changes whenever one of its files does
   * @param cpu the time that its processes have used; it falls when one of them goes
   */
  record Signs(List<String> files, Duration cpu) {
    Signs {
      files = List.copyOf(files);
    }
  }

  /** {@code work} adds up all changes of the time used, from the first look on. */
  private record Sighting(Duration at, Signs signs, Duration work) {}

  private final Duration window;
  private final Deque<Sighting> sightings = new ArrayDeque<>();

  HangWatch(Duration window) {
    this.window = window;
  }

  /** How often the program is to be looked at. */
  Duration interval() {
    Duration share = window.dividedBy(SAMPLES);
    return share.compareTo(SHORTEST_INTERVAL) < 0 ? SHORTEST_INTERVAL : share;
  }

  /** Takes a look into account; true when the program hangs. */
  boolean hangs(Duration now, Signs signs) {
    Sighting last = sightings.peekLast();
    Duration work = last == null ? Duration.ZERO : last.work().plus(work(last, signs));
    if (last != null && (changed(last, signs) || unwatched(last, now))) {
      sightings.clear();
    }
    sightings.addLast(new Sighting(now, signs, work));
    forgetWhatIsOlderThanTheWindow(now);
    Sighting first = sightings.peekFirst();
    Duration watched = now.minus(first.at());
    return watched.compareTo(window) >= 0 && idle(work.minus(first.work()), watched);
  }

  /** A sum that falls is a sign of life, too: a process has ended. */
  private static Duration work(Sighting last, Signs signs) {
    return signs.cpu().minus(last.signs().cpu()).abs();
  }

  private static boolean changed(Sighting last, Signs signs) {
    return !last.signs().files().equals(signs.files());
  }

  /** This process did not run for a while, and so perhaps neither did the program. */
  private boolean unwatched(Sighting last, Duration now) {
    return now.minus(last.at()).compareTo(window.dividedBy(2)) > 0
        && now.minus(last.at()).compareTo(interval().multipliedBy(3)) > 0;
  }

  /** One sighting that is at least as old as the window stays. */
  private void forgetWhatIsOlderThanTheWindow(Duration now) {
    while (sightings.size() > 1) {
      Sighting first = sightings.removeFirst();
      if (now.minus(sightings.peekFirst().at()).compareTo(window) < 0) {
        sightings.addFirst(first);
        return;
      }
    }
  }

  private static boolean idle(Duration work, Duration watched) {
    return work.multipliedBy(100).compareTo(watched.multipliedBy(IDLE_PERCENT)) < 0;
  }
}
