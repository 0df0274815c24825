package io.tony.am.machine;

import io.tony.failure.FailureSignature;
import io.tony.metrics.ReportedProgress;
import io.tony.model.JobResult;

/**
 * When another start cannot help: the same task has failed twice in a row in the same way at the
 * same step, so that it would only do so again.
 */
final class RepeatedFailures {
  private static final String OPTION = "tony.gang.stop-repeated-failures";

  private RepeatedFailures() {}

  /** Whether the task, which has just failed, would only do so again. */
  static boolean isRetryFutile(JobState state, Task task, TaskFailure failure) {
    return state.job().limits().retries().stopRepeatedFailures()
        && state.tasks().get(task.id()).failureStreak().failureCount() > 1
        && !MemoryEscalation.after(state, task, failure).increasesMemory();
  }

  /**
   * How far the job is, for a failure of the task: the last that its chief has told in its present
   * attempt, and the last that the task has told itself. What the others reach says nothing of a
   * task that starts again without them.
   *
   * @param ownProgress the last line of progress of the task's program; empty where there is none
   * @return empty where nobody tells
   */
  static String step(JobState state, Task task, String ownProgress) {
    Task chief = state.tasks().get(state.job().chief());
    ChiefProgress progress = state.progress();
    String jobStep = progress.attempt() == chief.attempt() ? parseStep(progress.text()) : "";
    String ownStep = task.id().equals(chief.id()) ? "" : parseStep(ownProgress);
    if (ownStep.isEmpty()) {
      return jobStep;
    }
    String labelledStep = ownStep + " (" + task.id() + ")"; // which is no step of the chief's
    boolean independent = state.role(task).maxTaskRetries() > 0;
    return independent || jobStep.isEmpty() ? labelledStep : jobStep + ", " + labelledStep;
  }

  private static String parseStep(String line) {
    return ReportedProgress.parse(line)
        .map(
            reached ->
                reached.hasTotal()
                    ? formatNumber(reached.done()) + "/" + formatNumber(reached.total())
                    : "step " + formatNumber(reached.done()))
        .orElse("");
  }

  private static String formatNumber(double number) {
    return number == Math.rint(number) && Math.abs(number) < 1e15
        ? Long.toString((long) number)
        : Double.toString(number);
  }

  /** {@code task} is as it was when it failed. */
  static JobResult jobResult(JobState state, Task task, TaskFailure failure) {
    String step = state.tasks().get(task.id()).failureStreak().step();
    String exception = FailureSignature.exception(failure.stderr());
    String message =
        MemoryEscalation.after(state, task, failure).message()
            + (exception.isEmpty() ? "" : " (" + exception + ")")
            + "; it failed so twice in a row, "
            + (step.isEmpty() ? "without any progress" : "both times at " + step)
            + ". Another start would end the same way: "
            + unspentRetries(state, task, failure)
            + ". Change the program or its data; "
            + OPTION
            + "=false spends all retries";
    return new JobResult(
        JobResult.Status.FAILED, failure.kind(), message, task.id(), failure.exitCode(), true);
  }

  private static String unspentRetries(JobState state, Task task, TaskFailure failure) {
    int roleRemaining = state.role(task).maxTaskRetries() - task.retries();
    int remaining = roleRemaining + state.budget().remaining(failure.kind());
    return switch (remaining) {
      case 0 -> "no retry was left";
      case 1 -> "1 retry is left unspent";
      default -> remaining + " retries are left unspent";
    };
  }
}
