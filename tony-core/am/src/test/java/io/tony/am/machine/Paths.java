package io.tony.am.machine;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which ways simulated jobs have gone: which events came in which phases, and from which phase to
 * which they led. Where one is not taken any more, the world has become too kind.
 */
final class Paths {
  private final Map<String, Integer> taken = new TreeMap<>();

  void take(Phase before, Event event, Phase after) {
    taken.merge(name(before, event.getClass()), 1, Integer::sum);
    if (before != after) {
      taken.merge(before + " to " + after, 1, Integer::sum);
    }
  }

  void add(Paths others) {
    others.taken.forEach((way, times) -> taken.merge(way, times, Integer::sum));
  }

  int times(String way) {
    return taken.getOrDefault(way, 0);
  }

  private static String name(Phase phase, Class<? extends Event> event) {
    return event.getSimpleName() + " in " + phase;
  }

  /** Ways that were not taken, of those from phase to phase and of all pairs of phase and event. */
  Set<String> missing(Set<String> ways) {
    Set<String> missing = new TreeSet<>(ways);
    for (Phase phase : Phase.values()) {
      for (Class<? extends Event> event : PermittedSubclasses.of(Event.class)) {
        missing.add(name(phase, event));
      }
    }
    missing.removeAll(taken.keySet());
    return missing;
  }

  @Override
  public String toString() {
    return taken.toString();
  }
}
