package io.tony.am.machine;

import io.tony.am.machine.Event.HangReported;
import io.tony.event.HangLocation;
import io.tony.event.HangSummary;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where the tasks of a gang stand that hangs. The one that is found to hang tells it with its end,
 * as those do that are stopped then. Those that are started again tell it before they register.
 */
final class HangReports {
  private HangReports() {}

  /**
   * By an executor that has been told to start again. It may say so twice: its call is repeated.
   */
  static void recordLocation(DecisionBuilder draft, HangReported event) {
    Task task = JobMachine.taskInContainer(draft.state(), event.key());
    if (task != null
        && task.inSameContainer()
        && task.state().holdsContainer()
        && event.key().attempt() < task.attempt()
        && task.hangLocation() == null) {
      draft.record(new HangLocation(task.id(), event.location()));
    }
  }

  /** With the end of the program. */
  static void recordLocation(DecisionBuilder draft, Task task, Event.Exit exit) {
    if (exit.hangLocation() != null) {
      draft.record(new HangLocation(task.id(), exit.hangLocation()));
    }
  }

  /** The result of the job; where a task that hung decided it, the places of all belong to it. */
  static JobResult resultWithHang(JobState state) {
    JobResult result = state.result();
    // What is lost may have told it before, when its gang hung.
    boolean hasFailedTask =
        result.kind() == FailureKind.PROGRAM
            && result.task() != null
            && state.tasks().contains(result.task());
    if (!hasFailedTask || state.tasks().get(result.task()).hangLocation() == null) {
      return result;
    }
    Map<TaskId, String> locations = new LinkedHashMap<>();
    for (Task task : state.tasks()) {
      if (task.hangLocation() != null) {
        locations.put(task.id(), task.hangLocation());
      }
    }
    String summary = HangSummary.of(locations);
    String message = summary.isEmpty() ? result.message() : result.message() + "; " + summary;
    return new JobResult(
        result.status(), result.kind(), message, result.task(), result.exitCode(), result.futile());
  }
}
