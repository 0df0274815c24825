package io.tony.am.machine;

import io.tony.am.machine.Event.TaskStood;
import io.tony.fact.Stands;
import io.tony.fact.Whereabouts;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where the tasks of a gang stand that hangs. The one that is found to hang tells it with its end,
 * as those do that are stopped then. Those that are started again tell it before they register.
 */
final class Standing {
  private Standing() {}

  /**
   * By an executor that has been told to start again. It may say so twice: its call is repeated.
   */
  static void told(Draft draft, TaskStood event) {
    Task task = JobMachine.inContainer(draft.state(), event.key());
    if (task != null
        && task.kept()
        && task.state().holdsContainer()
        && event.key().attempt() < task.attempt()
        && task.stands() == null) {
      draft.record(new Stands(task.id(), event.where()));
    }
  }

  /** With the end of the program. */
  static void told(Draft draft, Task task, Event.Exit exit) {
    if (exit.stands() != null) {
      draft.record(new Stands(task.id(), exit.stands()));
    }
  }

  /** The result of the job; where a task that hung decided it, the places of all belong to it. */
  static JobResult in(JobState state) {
    JobResult result = state.result();
    // What is lost may have told it before, when its gang hung.
    boolean itself =
        result.kind() == FailureKind.PROGRAM
            && result.task() != null
            && state.tasks().contains(result.task());
    if (!itself || state.tasks().get(result.task()).stands() == null) {
      return result;
    }
    Map<TaskId, String> places = new LinkedHashMap<>();
    for (Task task : state.tasks()) {
      if (task.stands() != null) {
        places.put(task.id(), task.stands());
      }
    }
    String words = Whereabouts.of(places);
    String message = words.isEmpty() ? result.message() : result.message() + "; " + words;
    return new JobResult(
        result.status(), result.kind(), message, result.task(), result.exitCode(), result.futile());
  }
}
