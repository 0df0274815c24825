package io.tony.metrics.job;

import io.tony.event.GangFact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.model.TaskId;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The state of each task, and the number of tasks in each state by role. */
final class TaskStates {
  /** State of a task. No state is final: a task may restart even after it has ended. */
  enum State {
    /** The task has no container, or is about to restart. */
    WAITING,
    /** The task has a container. */
    ALLOCATED,
    /** The executor has registered. */
    REGISTERED,
    /** The program runs. */
    RUNNING,
    SUCCEEDED,
    FAILED,
    /** The job does not need the task any more. */
    STOPPED;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Map<String, Map<Integer, State>> roles = new LinkedHashMap<>();

  /** Applies a fact about a task. Adds the task if it is not known yet. */
  void add(TaskFact fact) {
    State next = next(fact);
    if (next != null) {
      roles
          .computeIfAbsent(fact.task().role(), role -> new HashMap<>())
          .put(fact.task().index(), next);
    }
  }

  /** Returns the task's state after the fact; null if the fact does not change the state. */
  private static @Nullable State next(TaskFact fact) {
    if (fact instanceof TaskFact.Allocated) {
      return State.ALLOCATED;
    } else if (fact instanceof TaskFact.Registered) {
      return State.REGISTERED;
    } else if (fact instanceof TaskFact.Started) {
      return State.RUNNING;
    } else if (fact instanceof TaskFact.Succeeded) {
      return State.SUCCEEDED;
    } else if (fact instanceof TaskFact.Failed) {
      return State.FAILED;
    } else if (fact instanceof TaskFact.Stopped) {
      return State.STOPPED;
    } else if (fact instanceof TaskFact.Restarted) {
      return State.WAITING;
    }
    return null;
  }

  /**
   * Applies a restart of the gang: all tasks wait again, except those of finished roles that other
   * roles depended on.
   */
  void add(GangFact.Restarted gang) {
    roles.forEach(
        (role, tasks) -> {
          boolean done = gang.finishedRoles().contains(role);
          tasks.replaceAll(
              (index, state) ->
                  done && (state == State.SUCCEEDED || state == State.FAILED)
                      ? state
                      : State.WAITING);
        });
  }

  /**
   * Applies a change of a role's size: moved tasks have a container, and tasks from the new size on
   * are gone.
   */
  void add(ResizeFact.Resized fact) {
    Map<Integer, State> tasks = roles.get(fact.role());
    if (tasks != null) {
      fact.movedIndices().values().forEach(index -> tasks.put(index, State.ALLOCATED));
      tasks.keySet().removeIf(index -> index >= fact.instances());
    }
  }

  /** Applies a back-off of the gang: tasks without a running program lose their containers. */
  void releaseContainers() {
    roles
        .values()
        .forEach(
            tasks ->
                tasks.replaceAll(
                    (index, state) ->
                        state == State.ALLOCATED || state == State.REGISTERED
                            ? State.WAITING
                            : state));
  }

  /**
   * Returns true if a task of this role may be added: the role is known, or fewer than {@code
   * maxRoles} roles are known.
   */
  boolean hasRoom(TaskId task, int maxRoles) {
    return roles.size() < maxRoles || roles.containsKey(task.role());
  }

  /** Returns the number of tasks by role and state. */
  Map<String, Map<State, Integer>> counts() {
    Map<String, Map<State, Integer>> counts = new LinkedHashMap<>();
    roles.forEach(
        (role, tasks) -> {
          Map<State, Integer> states = new EnumMap<>(State.class);
          for (State state : State.values()) {
            states.put(state, 0);
          }
          tasks.values().forEach(state -> states.merge(state, 1, Integer::sum));
          counts.put(role, states);
        });
    return counts;
  }
}
