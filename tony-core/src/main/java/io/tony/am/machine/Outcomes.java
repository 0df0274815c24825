package io.tony.am.machine;

import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;

/** What the end of one task means for the job. */
final class Outcomes {
  private Outcomes() {}

  static Decision afterSuccess(JobState state, Event event, Task task) {
    if (!state.tracked(task)) {
      return Decision.unchanged(state);
    }
    return whenAllEnded(state.withTrackedEnd(true), event);
  }

  static Decision afterFailure(JobState state, Event event, Task task, TaskFailure failure) {
    boolean tolerated =
        switch (state.supervision(task)) {
          // One that never held a port leaves a hole in the cluster that the gang waits for.
          case SIDECAR -> task.endpoint() != null;
          case UNTRACKED -> false;
          case TRACKED -> failure.kind() == FailureKind.USER && !state.job().end().failOnAnyTask();
        };
    if (!tolerated) {
      return gangFailed(state, event, task, failure);
    }
    if (!state.tracked(task)) {
      return Decision.unchanged(state);
    }
    JobState next = state.withTrackedEnd(false);
    boolean allFailed = next.trackedOpen() == 0 && next.trackedSucceeded() == 0;
    return allFailed ? gangFailed(next, event, task, failure) : whenAllEnded(next, event);
  }

  private static Decision whenAllEnded(JobState state, Event event) {
    if (state.trackedOpen() > 0) {
      return Decision.unchanged(state);
    }
    int tracked = state.job().trackedTasks();
    String message =
        state.trackedSucceeded()
            + " of "
            + tracked
            + (tracked == 1 ? " task" : " tasks")
            + " succeeded";
    return Stopping.begin(
        state, event, new JobState.Outcome(JobResult.succeeded(message)), "the training is over");
  }

  private static Decision gangFailed(JobState state, Event event, Task task, TaskFailure failure) {
    JobState.RetryBudget left = state.budget().spend(failure.kind());
    if (left == null) {
      JobResult result =
          new JobResult(
              JobResult.Status.FAILED,
              failure.kind(),
              failure.message(),
              task.id(),
              failure.exitCode());
      return Stopping.begin(state, event, new JobState.Outcome(result), "another task failed");
    }
    JobEvent fact =
        Facts.task(state, event, JobEvent.Type.GANG_RESTARTED, task)
            .with("kind", failure.kind())
            .with("message", failure.message())
            .with("left", left.left(failure.kind()))
            .event();
    return Decision.of(state.with(left), new Action.AppendEvent(fact))
        .then(
            now ->
                Stopping.begin(
                    now, event, new JobState.Outcome(null), "the gang is started again"));
  }
}
