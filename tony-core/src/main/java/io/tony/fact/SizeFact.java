package io.tony.fact;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What becomes of the number of tasks of a role that is elastic. */
public sealed interface SizeFact extends Fact {

  /**
   * There is room for more tasks of a running gang. Its programs are asked for a checkpoint, from
   * which it is to go on with them.
   *
   * @param instances how many the role is to have
   */
  record Grows(String role, int instances) implements SizeFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GANG_GROWS;
    }

    @Override
    public Details details() {
      return Details.none().with("role", role).with("instances", instances);
    }

    public static Grows of(JobEvent event) {
      Details of = Details.of(event);
      return new Grows(of.text("role"), of.number("instances"));
    }
  }

  /**
   * A role has another number of tasks from now on: those of higher indices are gone, or new. The
   * gang does not run then, or is started again in the same decision, or its programs run on.
   *
   * @param from how many it had
   * @param attempt the number of the start of those that are moved, or new
   * @param moved by their old indices, the new ones of tasks that have a container: each takes the
   *     place of one that had none
   * @param message why
   * @param joins whether the programs of the others run on
   */
  record Resized(
      String role,
      int from,
      int instances,
      int attempt,
      Map<Integer, Integer> moved,
      String message,
      boolean joins)
      implements SizeFact {
    public Resized {
      moved = Map.copyOf(moved);
    }

    /** One of a gang whose programs do not run on. */
    public Resized(
        String role,
        int from,
        int instances,
        int attempt,
        Map<Integer, Integer> moved,
        String message) {
      this(role, from, instances, attempt, moved, message, false);
    }

    /** One task more, or less, of a gang whose programs run on. */
    public static Resized joining(
        String role, int from, int instances, int attempt, String message) {
      return new Resized(role, from, instances, attempt, Map.of(), message, true);
    }

    public boolean shrinks() {
      return instances < from;
    }

    /** By how many tasks the job has more; negative where it has fewer. */
    public int more() {
      return instances - from;
    }

    /** Whether there is no such task any more. One that is moved has its new name. */
    public boolean isGone(TaskId task) {
      return task.role().equals(role) && task.index() >= instances;
    }

    /** What is known of a container, by its task, is that of the task that it has now. */
    public <V> void moveIn(Map<TaskId, V> containers) {
      Map<TaskId, V> taken = new HashMap<>();
      moved.forEach(
          (old, now) -> {
            V known = containers.remove(new TaskId(role, old));
            if (known != null) {
              taken.put(new TaskId(role, now), known);
            }
          });
      containers.putAll(taken);
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GANG_RESIZED;
    }

    @Override
    public Details details() {
      return Details.none()
          .with("role", role)
          .with("from", from)
          .with("instances", instances)
          .with("attempt", attempt)
          .with(
              "moved",
              new TreeMap<>(moved)
                  .entrySet().stream()
                      .map(move -> move.getKey() + ":" + move.getValue())
                      .collect(Collectors.joining(",")))
          .with("message", message)
          .withAny("joins", joins ? "true" : "");
    }

    public static Resized of(JobEvent event) {
      Details of = Details.of(event);
      return new Resized(
          of.text("role"),
          of.number("from"),
          of.number("instances"),
          of.number("attempt"),
          of.read("moved", "pairs of indices, such as 3:1,5:2", Resized::moves),
          of.text("message"),
          !of.any("joins").isEmpty());
    }

    private static Map<Integer, Integer> moves(String text) {
      Map<Integer, Integer> moves = new TreeMap<>();
      for (String pair : text.isEmpty() ? List.<String>of() : List.of(text.split(","))) {
        String[] indices = pair.split(":", 2);
        if (indices.length < 2) {
          throw new IllegalArgumentException(pair);
        }
        moves.put(Integer.valueOf(indices[0]), Integer.valueOf(indices[1]));
      }
      return moves;
    }
  }
}
