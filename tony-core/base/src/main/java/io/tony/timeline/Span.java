package io.tony.timeline;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * A period that a job spends in one stage; its duration is never negative.
 *
 * @param session number of gang restarts before this period
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
