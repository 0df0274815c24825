package io.tony.am.machine;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * Table of event types and phases: an event is handled, ignored because a named race makes it
 * harmless, or illegal. {@link #checkComplete} checks that every pair is declared.
 */
final class Transitions {

  /** Handles one type of event in some phases. */
  interface Handler<E extends Event> {
    void handle(DecisionBuilder decision, E event);
  }

  private record Row(Handler<Event> handler, String race) {
    boolean isIllegal() {
      return handler == null && race == null;
    }
  }

  /** The phases in which containers are requested or programs run. */
  static final Phase[] ALIVE = {
    Phase.ALLOCATING, Phase.BACKING_OFF, Phase.REGISTERING, Phase.RUNNING
  };

  private static final Row ILLEGAL = new Row(null, null);

  private final Map<Phase, Map<Class<? extends Event>, Row>> table = new EnumMap<>(Phase.class);

  Transitions() {
    for (Phase phase : Phase.values()) {
      table.put(phase, new HashMap<>());
    }
  }

  <E extends Event> Transitions on(Class<E> type, Handler<? super E> handler, Phase... phases) {
    return declare(
        type,
        new Row((decision, event) -> handler.handle(decision, type.cast(event)), null),
        phases);
  }

  /**
   * Declares an event that is handled in the {@link #ALIVE} phases, illegal before them, and
   * ignored after them.
   */
  <E extends Event> Transitions onAlive(Class<E> type, Handler<? super E> handler, String race) {
    return illegal(type, Phase.NEW)
        .on(type, handler, ALIVE)
        .ignore(type, race, Phase.STOPPING, Phase.FINISHED);
  }

  /**
   * Declares an event that is expected in these phases and changes nothing. {@code race} names the
   * race that leads to the event.
   */
  Transitions ignore(Class<? extends Event> type, String race, Phase... phases) {
    return declare(type, new Row(null, race), phases);
  }

  Transitions illegal(Class<? extends Event> type, Phase... phases) {
    return declare(type, ILLEGAL, phases);
  }

  private Transitions declare(Class<? extends Event> type, Row row, Phase... phases) {
    for (Phase phase : phases) {
      if (table.get(phase).put(type, row) != null) {
        throw new IllegalStateException(
            type.getSimpleName() + " in " + phase + " is declared twice");
      }
    }
    return this;
  }

  /**
   * Returns this table.
   *
   * @throws IllegalStateException if a pair is not declared; the message names the pair
   */
  Transitions checkComplete() {
    for (Phase phase : Phase.values()) {
      for (Class<? extends Event> type : PermittedSubclasses.of(Event.class)) {
        if (!table.get(phase).containsKey(type)) {
          throw new IllegalStateException(
              type.getSimpleName() + " in " + phase + " is not declared");
        }
      }
    }
    return this;
  }

  void apply(DecisionBuilder decision, Event event) {
    Phase phase = decision.state().phase();
    Row row = table.get(phase).get(event.getClass());
    if (row.isIllegal()) {
      throw new IllegalStateException(event + " cannot happen in phase " + phase);
    }
    if (row.handler() != null) {
      row.handler().handle(decision, event);
    }
  }
}
