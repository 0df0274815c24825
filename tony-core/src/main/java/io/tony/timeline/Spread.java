package io.tony.timeline;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

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
    Map<TaskAttempt, Duration> times = new IdentityHashMap<>();
    for (TaskAttempt attempt : attempts) {
      attempt.took(step, now).ifPresent(time -> times.put(attempt, time));
    }
    Function<TaskAttempt, Duration> took = times::get;
    List<TaskAttempt> known =
        times.keySet().stream()
            .sorted(
                Comparator.comparing(took)
                    .thenComparing(TaskAttempt::task, Comparator.reverseOrder()))
            .toList();
    if (known.isEmpty()) {
      return null;
    }
    int count = known.size();
    List<TaskAttempt> slowest = new ArrayList<>(known.subList(Math.max(0, count - named), count));
    Collections.reverse(slowest);
    return new Spread(
        count,
        took.apply(known.get(0)),
        took.apply(at(known, 0.5)),
        took.apply(at(known, 0.95)),
        took.apply(known.get(count - 1)),
        slowest);
  }

  /** The nearest that is there: a time that a task took. */
  private static TaskAttempt at(List<TaskAttempt> sorted, double share) {
    return sorted.get((int) Math.ceil(share * sorted.size()) - 1);
  }
}
