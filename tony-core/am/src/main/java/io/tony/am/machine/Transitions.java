package io.tony.am.machine;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Table that says for each event type and phase whether the event is handled, is ignored because a
 * named race makes it possible and harmless, or is illegal. {@link #checkComplete} checks that no
 * pair is missing.
 */
final class Transitions {

  /** Handles the events of one type. */
  interface Handler<E extends Event> {
    void handle(DecisionBuilder decision, E event);
  }

  private record Row(@Nullable Handler<Event> handler, @Nullable String race) {
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
   *
   * @param race the race by which the event may arrive after these phases
   */
  <E extends Event> Transitions onAlive(Class<E> type, Handler<? super E> handler, String race) {
    return illegal(type, Phase.NEW)
        .on(type, handler, ALIVE)
        .ignore(type, race, Phase.STOPPING, Phase.FINISHED);
  }

  /**
   * Declares an event that may arrive in these phases and is ignored.
   *
   * @param race the race by which the event may arrive
   */
  Transitions ignore(Class<? extends Event> type, String race, Phase... phases) {
    return declare(type, new Row(null, race), phases);
  }

  Transitions illegal(Class<? extends Event> type, Phase... phases) {
    return declare(type, ILLEGAL, phases);
  }

  private Transitions declare(Class<? extends Event> type, Row row, Phase... phases) {
    for (Phase phase : phases) {
      if (row(phase).put(type, row) != null) {
        throw new IllegalStateException(
            type.getSimpleName() + " in " + phase + " is declared twice");
      }
    }
    return this;
  }

  /**
   * Returns this table.
   *
   * @throws IllegalStateException if a pair of event type and phase is not declared; the message
   *     names the pair
   */
  Transitions checkComplete() {
    for (Phase phase : Phase.values()) {
      for (Class<? extends Event> type : PermittedSubclasses.of(Event.class)) {
        if (!row(phase).containsKey(type)) {
          throw new IllegalStateException(
              type.getSimpleName() + " in " + phase + " is not declared");
        }
      }
    }
    return this;
  }

  private Map<Class<? extends Event>, Row> row(Phase phase) {
    return Objects.requireNonNull(table.get(phase));
  }

  void apply(DecisionBuilder decision, Event event) {
    Phase phase = decision.state().phase();
    Row row = Objects.requireNonNull(row(phase).get(event.getClass()));
    if (row.isIllegal()) {
      throw new IllegalStateException(event + " cannot happen in phase " + phase);
    }
    if (row.handler() != null) {
      row.handler().handle(decision, event);
    }
  }
}
