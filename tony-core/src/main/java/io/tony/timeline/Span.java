package io.tony.timeline;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * A time that a job spends in one stage; never negative.
 *
 * @param session how often the gang had been started again by then
 */
public record Span(Stage stage, int session, Instant from, Instant to) {
  public Span {
    Objects.requireNonNull(stage, "stage");
    if (to.isBefore(from)) {
      throw new IllegalArgumentException(stage + " ends at " + to + ", before it began at " + from);
    }
  }

  public Duration duration() {
    return Duration.between(from, to);
  }
}
