package io.tony.am.machine;

import io.tony.am.machine.Event.HangReported;
import io.tony.event.HangLocation;
import io.tony.event.HangSummary;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Records the code locations at which the tasks of a hanging gang hang. A task that is stopped
 * reports its location with the end of its program; a task that is restarted reports it before it
 * registers again.
 */
final class HangReports {
  private HangReports() {}

  /**
   * Records the code location that an executor reports during a restart. The report may arrive
   * twice, because executors repeat failed calls; only the first one is recorded.
   */
  static void recordLocation(DecisionBuilder decision, HangReported event) {
    Task task = JobMachine.taskInContainer(decision.state(), event.key());
    if (task != null
        && task.inSameContainer()
        && task.state().holdsContainer()
        && event.key().attempt() < task.attempt()
        && task.hangLocation() == null) {
      decision.record(new HangLocation(task.id(), event.location()));
    }
  }

  /**
   * Records the code location that an executor reports with the end of its program. Does nothing if
   * {@code exit} contains none.
   */
  static void recordLocation(DecisionBuilder decision, Task task, Event.Exit exit) {
    if (exit.hangLocation() != null) {
      decision.record(new HangLocation(task.id(), exit.hangLocation()));
    }
  }

  /**
   * Returns the job's result. If the job failed because a task hung, the result's message also
   * names the code locations that the tasks have reported.
   */
  static JobResult resultWithHang(JobState state) {
    JobResult result = Objects.requireNonNull(state.result());
    // Name locations only if a program has failed. After the loss of a task, the locations may come
    // from an earlier hang of the gang, which is not why the job failed.
    TaskId failed = result.task();
    if (failed == null
        || result.kind() != FailureKind.PROGRAM
        || !state.tasks().contains(failed)
        || state.tasks().get(failed).hangLocation() == null) {
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
