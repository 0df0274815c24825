package io.tony.am.machine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Supplier;

/**
 * Virtual time: what is to happen in a simulated world, in its order. What happens may be an event
 * that a machine is told; then it is on its way from one to another for a while, and what one
 * sender sends comes in the order in which it was sent.
 */
final class Agenda {
  /** Something of the world that happens at an instant, in milliseconds. */
  private record Entry(long at, long order, What what, Supplier<Event> happens) {}

  private enum What {
    /** Something that the world does of itself. */
    MOVE,
    /** The same, which no job can wait for: it comes for ever. */
    WEATHER,
    /** Something that a machine is told, by somebody who tells the next one if this one is gone. */
    CALL,
    /**
     * Something that a machine is told which only concerns that one: of YARN, and of its timers.
     */
    OWN
  }

  private final PriorityQueue<Entry> entries =
      new PriorityQueue<>(Comparator.comparingLong(Entry::at).thenComparingLong(Entry::order));
  private final Map<String, Long> last = new HashMap<>();
  private long now;
  private long order;

  /** How many entries a job can wait for. */
  private int awaited;

  /** Milliseconds since the world began. */
  long now() {
    return now;
  }

  void move(long after, Runnable move) {
    add(now + after, What.MOVE, silently(move));
  }

  void weather(long after, Runnable move) {
    add(now + after, What.WEATHER, silently(move));
  }

  /** Told to whoever is the master by then; {@code sender} sends one after the other. */
  void call(String sender, long after, Supplier<Event> event) {
    add(inOrder(sender, after), What.CALL, event);
  }

  /** Told to the present master alone; null events are dropped. */
  void own(String sender, long after, Supplier<Event> event) {
    add(inOrder(sender, after), What.OWN, event);
  }

  private long inOrder(String sender, long after) {
    return last.merge(sender, now + after, Math::max);
  }

  private static Supplier<Event> silently(Runnable move) {
    return () -> {
      move.run();
      return null;
    };
  }

  private void add(long at, What what, Supplier<Event> happens) {
    awaited += what == What.WEATHER ? 0 : 1;
    entries.add(new Entry(at, order++, what, happens));
  }

  /** The next that a machine is told; null when nothing that it can wait for is to happen. */
  Event next() {
    while (awaited > 0) {
      Entry entry = take();
      Event event = entry.happens().get();
      if (event != null) {
        return event;
      }
    }
    return null;
  }

  private Entry take() {
    Entry entry = entries.remove();
    awaited -= entry.what() == What.WEATHER ? 0 : 1;
    now = Math.max(now, entry.at());
    return entry;
  }

  /** The next that was on its way to a machine; the world does nothing of itself any more. */
  Event leftover() {
    while (!entries.isEmpty()) {
      Entry entry = take();
      boolean underWay = entry.what() == What.CALL || entry.what() == What.OWN;
      Event event = underWay ? entry.happens().get() : null;
      if (event != null) {
        return event;
      }
    }
    return null;
  }

  /**
   * The master is gone, and there is no other for so long: the world goes on meanwhile. What was
   * for that one alone is dropped; who called it calls the next one again. Nobody hears what YARN
   * or a timer tells.
   */
  void pass(long millis) {
    entries.removeIf(entry -> entry.what() == What.OWN);
    awaited = (int) entries.stream().filter(entry -> entry.what() != What.WEATHER).count();
    long until = now + millis;
    List<Supplier<Event>> again = new ArrayList<>();
    while (!entries.isEmpty() && entries.peek().at() <= until) {
      Entry entry = take();
      if (entry.what() == What.CALL) {
        again.add(entry.happens());
      } else if (entry.what() != What.OWN) {
        Event unused = entry.happens().get(); // nobody hears of it
      }
    }
    now = until;
    // Behind what each of them says first to a new one.
    again.forEach(call -> add(until + 1_000, What.CALL, call));
  }
}
