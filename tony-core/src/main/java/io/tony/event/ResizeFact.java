package io.tony.event;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What becomes of the number of tasks of a role that is elastic. */
public sealed interface ResizeFact extends Fact {

  /**
   * There is room for more tasks of a running gang. Its programs are asked for a checkpoint, from
   * which it is to go on with them.
   *
   * @param instances how many the role is to have
   */
  record ScaleUpPlanned(String role, int instances) implements ResizeFact {
    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GANG_GROWS;
    }

    @Override
    public Details details() {
      return Details.empty().with("role", role).with("instances", instances);
    }

    public static ScaleUpPlanned of(JobEvent event) {
      Details details = Details.of(event);
      return new ScaleUpPlanned(details.text("role"), details.number("instances"));
    }
  }

  /**
   * A role has another number of tasks from now on: those of higher indices are gone, or new. The
   * gang does not run then, or is started again in the same decision, or its programs run on.
   *
   * @param previousInstances how many it had
   * @param attempt the number of the start of those that are moved, or new
   * @param movedIndices by their old indices, the new ones of tasks that have a container: each
   *     takes the place of one that had none
   * @param message why
   * @param live whether the programs of the others run on
   */
  record Resized(
      String role,
      int previousInstances,
      int instances,
      int attempt,
      Map<Integer, Integer> movedIndices,
      String message,
      boolean live)
      implements ResizeFact {
    public Resized {
      movedIndices = Map.copyOf(movedIndices);
    }

    /** One of a gang whose programs do not run on. */
    public Resized(
        String role,
        int previousInstances,
        int instances,
        int attempt,
        Map<Integer, Integer> movedIndices,
        String message) {
      this(role, previousInstances, instances, attempt, movedIndices, message, false);
    }

    /** One task more, or less, of a gang whose programs run on. */
    public static Resized liveResize(
        String role, int previousInstances, int instances, int attempt, String message) {
      return new Resized(role, previousInstances, instances, attempt, Map.of(), message, true);
    }

    public boolean shrinks() {
      return instances < previousInstances;
    }

    /** By how many tasks the job has more; negative where it has fewer. */
    public int taskCountChange() {
      return instances - previousInstances;
    }

    /** Whether there is no such task any more. One that is moved has its new name. */
    public boolean isGone(TaskId task) {
      return task.role().equals(role) && task.index() >= instances;
    }

    /** What is known of a container, by its task, is that of the task that it has now. */
    public <V> void moveToNewTasks(Map<TaskId, V> containers) {
      Map<TaskId, V> relocated = new HashMap<>();
      movedIndices.forEach(
          (old, now) -> {
            V value = containers.remove(new TaskId(role, old));
            if (value != null) {
              relocated.put(new TaskId(role, now), value);
            }
          });
      containers.putAll(relocated);
    }

    @Override
    public JobEvent.Type type() {
      return JobEvent.Type.GANG_RESIZED;
    }

    @Override
    public Details details() {
      return Details.empty()
          .with("role", role)
          .with("from", previousInstances)
          .with("instances", instances)
          .with("attempt", attempt)
          .with(
              "moved",
              new TreeMap<>(movedIndices)
                  .entrySet().stream()
                      .map(move -> move.getKey() + ":" + move.getValue())
                      .collect(Collectors.joining(",")))
          .with("message", message)
          .withNonEmpty("joins", live ? "true" : "");
    }

    public static Resized of(JobEvent event) {
      Details details = Details.of(event);
      return new Resized(
          details.text("role"),
          details.number("from"),
          details.number("instances"),
          details.number("attempt"),
          details.read("moved", "pairs of indices, such as 3:1,5:2", Resized::parseMoves),
          details.text("message"),
          !details.optionalText("joins").isEmpty());
    }

    private static Map<Integer, Integer> parseMoves(String text) {
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
