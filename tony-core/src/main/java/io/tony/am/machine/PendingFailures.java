package io.tony.am.machine;

import io.tony.fact.PendingFailure;
import io.tony.fact.TaskFact;
import io.tony.failure.SecondaryFailure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Failures that look like what another task's end did to a program, where no retry is left. The
 * programs that lose a connection report it before YARN reports whose container is gone. So the job
 * does not end at once: where a loss is reported soon, it is the cause, its own limit pays, and the
 * gang starts again. Until then the executor of the failed program keeps its container.
 */
final class PendingFailures {
  /**
   * From a program's failure to YARN's report of the container that it missed: one heartbeat of the
   * node and one of the ApplicationMaster, of 1 s each by default, and as much again for late ones.
   */
  static final Duration MAX_WAIT = Duration.ofSeconds(5);

  /** One lost task takes many down, which say the same: of so many all is kept that they say. */
  static final int MAX_IN_FULL = 20;

  private PendingFailures() {}

  /** Whether the task's program has failed, and that waits for its cause. */
  static boolean isPending(JobState state, Task task) {
    return pending(state).stream().anyMatch(failure -> failure.task().equals(task.id()));
  }

  /** Whether any failure waits for its cause. */
  static boolean arePending(JobState state) {
    return !pending(state).isEmpty();
  }

  private static List<TaskFact.Failed> pending(JobState state) {
    return state.gang().incident().pending();
  }

  /**
   * Returns whether the failure, of which nothing is recorded yet, waits for its cause. A later one
   * does not prolong the wait.
   */
  static boolean await(Draft draft, Task task, TaskFailure failure) {
    JobState state = draft.state();
    TaskFact.Failed fact = failure.fact(state, task);
    boolean waits =
        task.started()
            && !SecondaryFailure.of(fact).isEmpty()
            && Outcomes.isFinal(state, task, failure)
            && (away(state).isPresent() || othersRun(state, task));
    if (!waits) {
      return false;
    }
    boolean full = pending(state).size() < MAX_IN_FULL;
    draft.record(
        new PendingFailure(full ? fact : SecondaryFailure.brief(fact), MAX_WAIT.toMillis()));
    startAgain(draft);
    return true;
  }

  private static boolean othersRun(JobState state, Task task) {
    return state.tasks().stream()
        .anyMatch(
            other -> other.started() && !other.id().equals(task.id()) && state.matters(other));
  }

  /** A task without which the others go on since its container was lost, until it is back. */
  private static Optional<Task> away(JobState state) {
    return state.tasks().stream().filter(task -> isAway(state, task)).findFirst();
  }

  private static boolean isAway(JobState state, Task task) {
    return task.alone()
        && !task.started()
        && !task.state().ended()
        && task.fault().loss() != null
        && state.matters(task);
  }

  /**
   * A loss was reported that seemed to be one that the others can do without. Who has paid for that
   * does not pay again.
   */
  private static void startAgain(Draft draft) {
    away(draft.state()).ifPresent(lost -> Restarting.gangToo(draft, lost));
  }

  /**
   * Whether the gang starts again, because this loss of a task is why others have failed. Whoever
   * pays for a start of the task alone pays for that.
   */
  static boolean areExplained(Draft draft, Task lost, TaskFailure failure, boolean healthy) {
    boolean explains =
        arePending(draft.state())
            && lost.started()
            && failure.ofTheContainer()
            && draft.state().matters(lost);
    if (!explains) {
      return false;
    }
    if (Restarting.alone(draft, lost, failure, healthy)) {
      startAgain(draft);
      return true;
    }
    return Restarting.gang(draft, lost, failure, healthy);
  }

  /**
   * No loss was reported: the failure that was reported first counts, and where the job goes on
   * without its task, the next one.
   */
  static void expired(Draft draft) {
    while (!pending(draft.state()).isEmpty()) { // none is, once the job ends or starts again
      TaskFact.Failed first = pending(draft.state()).get(0);
      Task task = draft.state().tasks().get(first.task());
      draft.record(first);
      Outcomes.afterFailure(draft, task, TaskFailure.of(first), true);
    }
  }

  /** The job ends, and so do these tasks, whose programs have ended already. */
  static void stop(Draft draft, JobState before) {
    for (TaskFact.Failed failure : pending(before)) {
      Stopping.taskGone(draft, before.tasks().get(failure.task()).key());
    }
  }
}
