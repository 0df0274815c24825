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

/** The state of each task of some roles, and how many of each role are in which. */
final class TaskStates {
  /** Where a task stands. It goes on from each, as it may be started again from the last three. */
  enum State {
    /** It is to be started again. */
    WAITING,
    /** It has a container. */
    ALLOCATED,
    /** Its executor is there. */
    REGISTERED,
    /** Its program runs. */
    RUNNING,
    SUCCEEDED,
    FAILED,
    /** The job no longer wants it. */
    STOPPED;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Map<String, Map<Integer, State>> roles = new LinkedHashMap<>();

  /** Adds a task of a role that is not known yet, too. */
  void add(TaskFact fact) {
    State next = next(fact);
    if (next != null) {
      roles
          .computeIfAbsent(fact.task().role(), role -> new HashMap<>())
          .put(fact.task().index(), next);
    }
  }

  /** Null where the fact changes nothing. */
  private static State next(TaskFact fact) {
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

  /** All start again, but those that have done what others wait for. */
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

  /** A task that is moved has its container; those of higher indices are gone. */
  void add(ResizeFact.Resized fact) {
    Map<Integer, State> tasks = roles.get(fact.role());
    if (tasks != null) {
      fact.movedIndices().values().forEach(index -> tasks.put(index, State.ALLOCATED));
      tasks.keySet().removeIf(index -> index >= fact.instances());
    }
  }

  /** The containers of those that do not run yet are given back. */
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

  /** Whether the role of a task has a place here already, or may be given one. */
  boolean hasRoom(TaskId task, int maxRoles) {
    return roles.size() < maxRoles || roles.containsKey(task.role());
  }

  /** Of each role, how many tasks are in each state. */
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
