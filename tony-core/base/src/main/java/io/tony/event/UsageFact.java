package io.tony.event;

import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * How a job uses its time and its nodes. Recorded for information only: the ApplicationMaster bases
 * no decision on these facts.
 */
public sealed interface UsageFact extends Fact {

  /**
   * A task slows its gang down (it is a straggler), or no longer does.
   *
   * @param node node on which the task runs
   * @param message a sentence for display, with the measured value
   * @param recovered true if the task was reported as a straggler before and is none any more
   */
  record Straggler(TaskId task, String node, String message, boolean recovered)
      implements UsageFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.STRAGGLER;
    }

    @Override
    public Details details() {
      return Details.empty()
          .with("node", node)
          .with("message", message)
          .with("recovered", recovered);
    }

    public static Straggler of(JobEvent event) {
      Details details = Details.of(event);
      return new Straggler(
          details.task(), details.text("node"), details.text("message"), details.flag("recovered"));
    }
  }

  /**
   * Where the time of a job went. The sum of all times is the duration of the job.
   *
   * @param queuedMs time of waiting for the ApplicationMaster and for containers
   * @param startingMs time of starting executors and programs
   * @param trainingMs time in which programs ran and made progress that was kept
   * @param lostMs time in which programs ran and made progress that was lost, by the kind of
   *     failure that lost it
   * @param stoppingMs time from the decision on the job's result until all programs and containers
   *     were stopped
   * @param restartCount number of gang restarts
   * @param byProgress false if some restart lost work and the progress reports did not show how
   *     much; all time since the previous start then counts as lost
   */
  record Goodput(
      long queuedMs,
      long startingMs,
      long trainingMs,
      Map<FailureKind, Long> lostMs,
      long stoppingMs,
      int restartCount,
      boolean byProgress)
      implements UsageFact {
    private static final String LOST_PREFIX = "lost.";

    public Goodput {
      Map<FailureKind, Long> sorted = new EnumMap<>(FailureKind.class);
      sorted.putAll(lostMs);
      lostMs = Collections.unmodifiableMap(sorted);
    }

    public long totalLostMs() {
      return lostMs.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the duration of the job in milliseconds. */
    public long totalMs() {
      return queuedMs + startingMs + trainingMs + totalLostMs() + stoppingMs;
    }

    /**
     * Returns {@code trainingMs} as a share of the job's duration, from 0 to 1; 0 if the duration
     * is 0.
     */
    public double trainingShare() {
      return totalMs() == 0 ? 0 : (double) trainingMs / totalMs();
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GOODPUT;
    }

    @Override
    public Details details() {
      Details details =
          Details.empty()
              .with("queue", queuedMs)
              .with("starting", startingMs)
              .with("training", trainingMs);
      lostMs.forEach((kind, millis) -> details.with(LOST_PREFIX + kind, millis));
      return details
          .with("stopping", stoppingMs)
          .with("restarts", restartCount)
          .with("byProgress", byProgress);
    }

    public static Goodput of(JobEvent event) {
      Details details = Details.of(event);
      Map<FailureKind, Long> lostMs = new EnumMap<>(FailureKind.class);
      for (FailureKind kind : FailureKind.values()) {
        if (event.details().containsKey(LOST_PREFIX + kind)) {
          lostMs.put(kind, details.longNumber(LOST_PREFIX + kind));
        }
      }
      return new Goodput(
          details.longNumber("queue"),
          details.longNumber("starting"),
          details.longNumber("training"),
          lostMs,
          details.longNumber("stopping"),
          details.number("restarts"),
          details.flag("byProgress"));
    }
  }
}
