package io.tony.event;

import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/** What was found out about how a job uses its time and its nodes; nothing is decided upon it. */
public sealed interface UsageFact extends Fact {

  /**
   * A task that holds its gang up, or no longer does.
   *
   * @param node where it runs
   * @param message in a sentence, with the figure by which it is known
   * @param recovered whether it keeps up again, after it was named before
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
   * Where the time of a job went, in milliseconds that add up to all of it.
   *
   * @param queuedMs it waited for its ApplicationMaster and for containers
   * @param startingMs executors and programs were started
   * @param trainingMs its programs ran, and the result was kept
   * @param lostMs they ran for nothing, by the kind of the failure that made it so
   * @param stoppingMs its end was decided, and what still ran was stopped
   * @param restartCount how often the gang was started again
   * @param byProgress false where a restart lost something, and no progress told how much: all
   *     since the start before counts then
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

    /** All of it. */
    public long totalMs() {
      return queuedMs + startingMs + trainingMs + totalLostMs() + stoppingMs;
    }

    /** Which part of the time was trained and kept, 0 to 1; 0 of no time. */
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
