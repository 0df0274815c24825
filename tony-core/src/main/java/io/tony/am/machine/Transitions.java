package io.tony.am.machine;

import java.util.EnumMap;
import java.util.Map;

/**
 * What each phase does with each kind of event: handle it, ignore it because a named race makes it
 * harmless, or refuse it as impossible. Every pair is declared; the constructor sees to it.
 */
final class Transitions {

  /** Handles one event in one phase. */
  interface Handler<E extends Event> {
    Decision handle(JobState state, E event);
  }

  private record Row(Handler<? extends Event> handler, String reason) {
    boolean illegal() {
      return handler == null && reason == null;
    }
  }

  private static final Row ILLEGAL = new Row(null, null);

  private final Map<Phase, Map<Event.Kind, Row>> table = new EnumMap<>(Phase.class);

  Transitions() {
    for (Phase phase : Phase.values()) {
      table.put(phase, new EnumMap<>(Event.Kind.class));
    }
  }

  <E extends Event> Transitions on(Event.Kind kind, Handler<E> handler, Phase... phases) {
    return declare(kind, new Row(handler, null), phases);
  }

  /** The event is expected there and changes nothing: {@code race} says how it comes about. */
  Transitions ignore(Event.Kind kind, String race, Phase... phases) {
    return declare(kind, new Row(null, race), phases);
  }

  Transitions illegal(Event.Kind kind, Phase... phases) {
    return declare(kind, ILLEGAL, phases);
  }

  private Transitions declare(Event.Kind kind, Row row, Phase... phases) {
    for (Phase phase : phases) {
      if (table.get(phase).put(kind, row) != null) {
        throw new IllegalStateException(kind + " in " + phase + " is declared twice");
      }
    }
    return this;
  }

  /** This table, complete; throws and names the pair that nobody declared. */
  Transitions complete() {
    for (Phase phase : Phase.values()) {
      for (Event.Kind kind : Event.Kind.values()) {
        if (!table.get(phase).containsKey(kind)) {
          throw new IllegalStateException(kind + " in " + phase + " is not declared");
        }
      }
    }
    return this;
  }

  @SuppressWarnings("unchecked") // on() ties a kind to its record by the handlers' parameter types
  Decision apply(JobState state, Event event) {
    Row row = table.get(state.phase()).get(event.kind());
    if (row.illegal()) {
      throw new IllegalStateException(event + " cannot happen in phase " + state.phase());
    }
    if (row.handler() == null) {
      return Decision.unchanged(state);
    }
    return ((Handler<Event>) row.handler()).handle(state, event);
  }
}
