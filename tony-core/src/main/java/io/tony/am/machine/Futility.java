package io.tony.am.machine;

import io.tony.failure.FailureSignature;
import io.tony.model.JobResult;
import io.tony.model.Reached;

/**
 * When another start cannot help: the same task has failed twice in a row in the same way at the
 * same step, so that it would only do so again.
 */
final class Futility {
  private static final String OPTION = "tony.am.stop-futile-retries";

  private Futility() {}

  /** Whether the task, which has just failed, would only do so again. */
  static boolean isReached(JobState state, Task task, TaskFailure failure) {
    return state.job().limits().retries().stopFutile()
        && state.tasks().get(task.id()).fault().times() > 1
        && !Growth.after(state, task, failure).helps();
  }

  /**
   * How far the job is, for a failure of the task: the last that its chief has told in its present
   * attempt, and the last that the task has told itself. What the others reach says nothing of a
   * task that starts again without them.
   *
   * @param own the last line of progress of the task's program; empty where there is none
   * @return empty where nobody tells
   */
  static String step(JobState state, Task task, String own) {
    Task chief = state.tasks().get(state.job().chief());
    Progress progress = state.progress();
    String job = progress.attempt() == chief.attempt() ? reached(progress.text()) : "";
    String itself = task.id().equals(chief.id()) ? "" : reached(own);
    if (itself.isEmpty()) {
      return job;
    }
    String told = itself + " (" + task.id() + ")"; // which is no step of the chief's
    boolean independent = state.role(task).retries() > 0;
    return independent || job.isEmpty() ? told : job + ", " + told;
  }

  private static String reached(String line) {
    return Reached.in(line)
        .map(
            reached ->
                reached.hasWhole()
                    ? number(reached.done()) + "/" + number(reached.whole())
                    : "step " + number(reached.done()))
        .orElse("");
  }

  private static String number(double number) {
    return number == Math.rint(number) && Math.abs(number) < 1e15
        ? Long.toString((long) number)
        : Double.toString(number);
  }

  /** {@code task} is as it was when it failed. */
  static JobResult result(JobState state, Task task, TaskFailure failure) {
    String step = state.tasks().get(task.id()).fault().step();
    String exception = FailureSignature.exception(failure.stderr());
    String message =
        Growth.after(state, task, failure).message()
            + (exception.isEmpty() ? "" : " (" + exception + ")")
            + "; it failed so twice in a row, "
            + (step.isEmpty() ? "without any progress" : "both times at " + step)
            + ". Another start would end the same way: "
            + unspent(state, task, failure)
            + ". Change the program or its data; "
            + OPTION
            + "=false spends all retries";
    return new JobResult(
        JobResult.Status.FAILED, failure.kind(), message, task.id(), failure.exitCode(), true);
  }

  private static String unspent(JobState state, Task task, TaskFailure failure) {
    int ofRole = state.role(task).retries() - task.retries();
    int left = ofRole + state.budget().left(failure.kind());
    return switch (left) {
      case 0 -> "no retry was left";
      case 1 -> "1 retry is left unspent";
      default -> left + " retries are left unspent";
    };
  }
}
