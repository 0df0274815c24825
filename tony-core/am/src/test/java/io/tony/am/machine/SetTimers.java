package io.tony.am.machine;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The timers of a job that are set: neither expired nor canceled, nor gone with their master. */
final class SetTimers {
  private final Set<Timer> set = new HashSet<>();

  /** What has happened, and what was decided upon it. */
  void follow(Event event, List<Action> actions) {
    if (event instanceof Event.AmReady) {
      set.clear(); // those of a predecessor are gone with it
    } else if (event instanceof Event.TimerFired fired) {
      set.remove(fired.timer());
    }
    for (Action action : actions) {
      if (action instanceof Action.SetTimer timer) {
        set.add(timer.timer());
      } else if (action instanceof Action.CancelTimer timer) {
        set.remove(timer.timer());
      }
    }
  }

  boolean contains(Timer timer) {
    return set.contains(timer);
  }

  Set<Timer> all() {
    return Set.copyOf(set);
  }
}
