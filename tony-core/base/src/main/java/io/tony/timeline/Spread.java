package io.tony.timeline;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Distribution of the durations of one step over attempts of the tasks of a role.
 *
 * @param count number of attempts whose duration is known
 * @param p95 95th percentile
 * @param slowest the attempts with the longest durations; longest first, equal durations in the
 *     order of the tasks
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
   * Returns the distribution over {@code attempts}; null if none of them has begun the step.
   *
   * @param now the time up to which a step counts that is not over, so that a step that never ends
   *     is among the slowest
   * @param maxSlowest maximum number of attempts in {@code slowest}
   */
  public static @Nullable Spread of(
      List<TaskAttempt> attempts, TaskAttempt.Step step, Instant now, int maxSlowest) {
    List<TimedAttempt> timedAttempts =
        attempts.stream()
            .flatMap(attempt -> TimedAttempt.of(attempt, step, now).stream())
            .sorted(
                Comparator.comparing(TimedAttempt::duration)
                    .thenComparing(timed -> timed.attempt().task(), Comparator.reverseOrder()))
            .toList();
    if (timedAttempts.isEmpty()) {
      return null;
    }
    int count = timedAttempts.size();
    List<TimedAttempt> slowest =
        new ArrayList<>(timedAttempts.subList(Math.max(0, count - maxSlowest), count));
    Collections.reverse(slowest);
    return new Spread(
        count,
        timedAttempts.get(0).duration(),
        percentile(timedAttempts, 0.5),
        percentile(timedAttempts, 0.95),
        timedAttempts.get(count - 1).duration(),
        slowest.stream().map(TimedAttempt::attempt).toList());
  }

  private record TimedAttempt(TaskAttempt attempt, Duration duration) {
    static Optional<TimedAttempt> of(TaskAttempt attempt, TaskAttempt.Step step, Instant now) {
      return attempt.stepDuration(step, now).map(took -> new TimedAttempt(attempt, took));
    }
  }

  /**
   * Returns a percentile by the nearest-rank method, so that the result is the duration of an
   * actual attempt; {@code share} is greater than 0 and at most 1.
   */
  private static Duration percentile(List<TimedAttempt> sorted, double share) {
    return sorted.get((int) Math.ceil(share * sorted.size()) - 1).duration();
  }
}
