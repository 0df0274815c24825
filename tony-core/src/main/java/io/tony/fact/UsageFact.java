package io.tony.fact;

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
      return Details.none()
          .with("node", node)
          .with("message", message)
          .with("recovered", recovered);
    }

    public static Straggler of(JobEvent event) {
      Details of = Details.of(event);
      return new Straggler(of.task(), of.text("node"), of.text("message"), of.flag("recovered"));
    }
  }

  /**
   * Where the time of a job went, in milliseconds that add up to all of it.
   *
   * @param queue it waited for its ApplicationMaster and for containers
   * @param starting executors and programs were started
   * @param training its programs ran, and the result was kept
   * @param lost they ran for nothing, by the kind of the failure that made it so
   * @param stopping its end was decided, and what still ran was stopped
   * @param restarts how often the gang was started again
   * @param byProgress false where a restart lost something, and no progress told how much: all
   *     since the start before counts then
   */
  record Goodput(
      long queue,
      long starting,
      long training,
      Map<FailureKind, Long> lost,
      long stopping,
      int restarts,
      boolean byProgress)
      implements UsageFact {
    private static final String LOST = "lost.";

    public Goodput {
      Map<FailureKind, Long> sorted = new EnumMap<>(FailureKind.class);
      sorted.putAll(lost);
      lost = Collections.unmodifiableMap(sorted);
    }

    public long lostInAll() {
      return lost.values().stream().mapToLong(Long::longValue).sum();
    }

    /** All of it. */
    public long wall() {
      return queue + starting + training + lostInAll() + stopping;
    }

    /** Which part of the time was trained and kept, 0 to 1; 0 of no time. */
    public double share() {
      return wall() == 0 ? 0 : (double) training / wall();
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GOODPUT;
    }

    @Override
    public Details details() {
      Details details =
          Details.none().with("queue", queue).with("starting", starting).with("training", training);
      lost.forEach((kind, millis) -> details.with(LOST + kind, millis));
      return details
          .with("stopping", stopping)
          .with("restarts", restarts)
          .with("byProgress", byProgress);
    }

    public static Goodput of(JobEvent event) {
      Details of = Details.of(event);
      Map<FailureKind, Long> lost = new EnumMap<>(FailureKind.class);
      for (FailureKind kind : FailureKind.values()) {
        if (event.details().containsKey(LOST + kind)) {
          lost.put(kind, of.longNumber(LOST + kind));
        }
      }
      return new Goodput(
          of.longNumber("queue"),
          of.longNumber("starting"),
          of.longNumber("training"),
          lost,
          of.longNumber("stopping"),
          of.number("restarts"),
          of.flag("byProgress"));
    }
  }
}
