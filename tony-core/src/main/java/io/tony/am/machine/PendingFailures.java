package io.tony.am.machine;

import io.tony.fact.PendingFailure;
import io.tony.fact.TaskFact;
import io.tony.failure.SecondaryFailure;
import java.time.Duration;
import java.util.List;

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
    boolean explained = isAway(state, state.gang().incident().latest());
    boolean waits =
        task.started()
            && !SecondaryFailure.of(fact).isEmpty()
            && Outcomes.isFinal(state, task, failure)
            && (explained || othersRun(state, task));
    if (!waits) {
      return false;
    }
    boolean full = pending(state).size() < MAX_IN_FULL;
    draft.record(
        new PendingFailure(full ? fact : SecondaryFailure.brief(fact), MAX_WAIT.toMillis()));
    if (explained) {
      startAgainFor(draft, state.gang().incident().latest());
    }
    return true;
  }

  private static boolean othersRun(JobState state, Task task) {
    return state.tasks().stream()
        .anyMatch(
            other -> other.started() && !other.id().equals(task.id()) && state.matters(other));
  }

  /** Whether the others go on without the task since this loss of its container. */
  private static boolean isAway(JobState state, TaskFact.Failed loss) {
    if (loss == null
        || !TaskFailure.of(loss).ofTheContainer()
        || !state.tasks().contains(loss.task())) {
      return false;
    }
    Task lost = state.tasks().get(loss.task());
    return lost.alone() && !lost.started() && !lost.state().ended() && state.matters(lost);
  }

  /** The loss was reported first, and seemed to be one that the others can do without. */
  private static void startAgainFor(Draft draft, TaskFact.Failed loss) {
    Task lost = draft.state().tasks().get(loss.task());
    Restarting.gang(draft, lost, TaskFailure.of(loss), lost.state().holdsContainer());
  }

  /** Whether the gang starts again, because this loss of a task is why others have failed. */
  static boolean areExplained(Draft draft, Task lost, TaskFailure failure, boolean healthy) {
    return !pending(draft.state()).isEmpty()
        && lost.started()
        && failure.ofTheContainer()
        && draft.state().matters(lost)
        && Restarting.gang(draft, lost, failure, healthy);
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
