package io.tony.event;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A change of the number of tasks of an elastic role. */
public sealed interface ResizeFact extends Fact {

  /**
   * The cluster has room for more tasks of an elastic role while the gang runs. The programs are
   * asked for a checkpoint, from which the larger gang will resume.
   *
   * @param instances number of tasks that the role will have
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
   * A role has a new number of tasks: tasks were added, or the tasks with the highest indices were
   * removed. If {@code live} is false, no program runs at this moment, or the gang is restarted by
   * the same decision.
   *
   * @param previousInstances number of tasks before the resize
   * @param instances number of tasks after the resize
   * @param attempt attempt number of the moved and the added tasks
   * @param movedIndices new index by old index, of the tasks that keep their container but get
   *     another index; the task that had the new index before had no container
   * @param message reason for the resize, for display
   * @param live true if the programs of the other tasks keep running
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

    /** Creates the fact for a resize that is not live. */
    public Resized(
        String role,
        int previousInstances,
        int instances,
        int attempt,
        Map<Integer, Integer> movedIndices,
        String message) {
      this(role, previousInstances, instances, attempt, movedIndices, message, false);
    }

    /**
     * Returns the fact that one task was added or removed while the programs of the other tasks
     * keep running.
     */
    public static Resized liveResize(
        String role, int previousInstances, int instances, int attempt, String message) {
      return new Resized(role, previousInstances, instances, attempt, Map.of(), message, true);
    }

    public boolean shrinks() {
      return instances < previousInstances;
    }

    /** Returns by how many tasks the role grew; negative if the role shrank. */
    public int taskCountChange() {
      return instances - previousInstances;
    }

    /**
     * Returns true if the role has no task of this name after the resize, because its index is not
     * below the new number of tasks. A task that got another index still exists: for such a task,
     * pass its new name.
     */
    public boolean isGone(TaskId task) {
      return task.role().equals(role) && task.index() >= instances;
    }

    /**
     * Changes the keys of {@code containers}, a map of values by task: the value of each task that
     * got another index is moved to the new name of the task. The map may contain values of any
     * type.
     */
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
