package io.tony.timeline;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * How long one step took the tasks of a role.
 *
 * @param count of how many starts it is known
 * @param slowest those that took longest, the longest first, then by task
 */
public record Spread(
    int count,
    Duration min,
    Duration median,
    Duration p95,
    Duration max,
    List<TaskAttempt> slowest) {
  public Spread {
    slowest = List.copyOf(slowest);
  }

  /**
   * Of some starts; null where none of them has come to the step.
   *
   * @param now until when a step that is not over is counted: one that never ends is the slowest
   * @param named how many of the slowest
   */
  public static Spread of(
      List<TaskAttempt> attempts, TaskAttempt.Step step, Instant now, int named) {
    List<Timed> known =
        attempts.stream()
            .flatMap(attempt -> Timed.of(attempt, step, now).stream())
            .sorted(
                Comparator.comparing(Timed::took)
                    .thenComparing(timed -> timed.attempt().task(), Comparator.reverseOrder()))
            .toList();
    if (known.isEmpty()) {
      return null;
    }
    int count = known.size();
    List<Timed> slowest = new ArrayList<>(known.subList(Math.max(0, count - named), count));
    Collections.reverse(slowest);
    return new Spread(
        count,
        known.get(0).took(),
        at(known, 0.5),
        at(known, 0.95),
        known.get(count - 1).took(),
        slowest.stream().map(Timed::attempt).toList());
  }

  private record Timed(TaskAttempt attempt, Duration took) {
    static Optional<Timed> of(TaskAttempt attempt, TaskAttempt.Step step, Instant now) {
      return attempt.took(step, now).map(took -> new Timed(attempt, took));
    }
  }

  /** The nearest that is there: a time that a task took. */
  private static Duration at(List<Timed> sorted, double share) {
    return sorted.get((int) Math.ceil(share * sorted.size()) - 1).took();
  }
}
