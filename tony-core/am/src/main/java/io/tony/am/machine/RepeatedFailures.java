package io.tony.am.machine;

import io.tony.failure.FailureSignature;
import io.tony.metrics.ReportedProgress;
import io.tony.model.JobResult;

/**
 * Detects failures that a restart cannot fix: the same task has failed at least twice in succession
 * in the same way at the same step.
 */
final class RepeatedFailures {
  private static final String OPTION = "tony.gang.stop-repeated-failures";

  private RepeatedFailures() {}

  /**
   * Returns true if a restart of the task would probably end in the same failure: this failure is
   * like the one before it, and the restart would not have more memory. Always false if the job's
   * options turn this check off.
   *
   * @param task the task in its state at the failure
   */
  static boolean isRetryFutile(JobState state, Task task, TaskFailure failure) {
    return state.job().limits().retries().stopRepeatedFailures()
        && state.tasks().get(task.id()).failureStreak().failureCount() > 1
        && !MemoryEscalation.after(state, task, failure).increasesMemory();
  }

  /**
   * Returns how far the job was when the task failed: the last progress of the chief's current
   * attempt and that of the task itself. For a task with retries of its own, only the task's own
   * progress counts, if there is any.
   *
   * @param ownProgress last progress line of the task's program; empty if none
   * @return the step, for people; empty if no progress was reported
   */
  static String step(JobState state, Task task, String ownProgress) {
    Task chief = state.tasks().get(state.job().chief());
    ChiefProgress progress = state.progress();
    String jobStep = progress.attempt() == chief.attempt() ? parseStep(progress.text()) : "";
    String ownStep = task.id().equals(chief.id()) ? "" : parseStep(ownProgress);
    if (ownStep.isEmpty()) {
      return jobStep;
    }
    // Name the task, because a step without a name is the chief's.
    String labelledStep = ownStep + " (" + task.id() + ")";
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

  /**
   * Returns the result of a job that ends because a restart would end in the same failure.
   *
   * @param task the task in its state at the failure
   */
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
