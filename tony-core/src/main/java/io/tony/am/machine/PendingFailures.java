package io.tony.am.machine;

import io.tony.event.PendingFailure;
import io.tony.event.TaskFact;
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
  static final int MAX_FULL_FAILURES = 20;

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
    return state.gang().gangFailure().pendingFailures();
  }

  /**
   * Returns whether the failure, of which nothing is recorded yet, waits for its cause. A later one
   * does not prolong the wait.
   */
  static boolean deferIfSecondary(DecisionBuilder draft, Task task, TaskFailure failure) {
    JobState state = draft.state();
    TaskFact.Failed fact = failure.toFact(state, task);
    boolean deferred =
        task.started()
            && !SecondaryFailure.of(fact).isEmpty()
            && TaskCompletion.isFinal(state, task, failure)
            && (lostMember(state).isPresent() || areOthersRunning(state, task));
    if (!deferred) {
      return false;
    }
    boolean inFull = pending(state).size() < MAX_FULL_FAILURES;
    draft.record(
        new PendingFailure(inFull ? fact : SecondaryFailure.brief(fact), MAX_WAIT.toMillis()));
    restartGangForLostMember(draft);
    return true;
  }

  private static boolean areOthersRunning(JobState state, Task task) {
    return state.tasks().stream()
        .anyMatch(
            other ->
                other.started() && !other.id().equals(task.id()) && state.isNeededByOthers(other));
  }

  /** A task without which the others go on since its container was lost, until it is back. */
  private static Optional<Task> lostMember(JobState state) {
    return state.tasks().stream().filter(task -> isLostMember(state, task)).findFirst();
  }

  private static boolean isLostMember(JobState state, Task task) {
    return task.alone()
        && !task.started()
        && !task.state().ended()
        && task.failureStreak().containerLoss() != null
        && state.isNeededByOthers(task);
  }

  /**
   * A loss was reported that seemed to be one that the others can do without. Who has paid for that
   * does not pay again.
   */
  private static void restartGangForLostMember(DecisionBuilder draft) {
    lostMember(draft.state())
        .ifPresent(lost -> RestartPolicy.restartGangForChargedLoss(draft, lost));
  }

  /**
   * Whether the gang starts again, because this loss of a task is why others have failed. Whoever
   * pays for a start of the task alone pays for that.
   */
  static boolean tryRestartGangForLoss(
      DecisionBuilder draft, Task lost, TaskFailure failure, boolean executorAlive) {
    boolean explains =
        arePending(draft.state())
            && lost.started()
            && failure.isContainerLoss()
            && draft.state().isNeededByOthers(lost);
    if (!explains) {
      return false;
    }
    if (RestartPolicy.tryRestartTask(draft, lost, failure, executorAlive)) {
      restartGangForLostMember(draft);
      return true;
    }
    return RestartPolicy.tryRestartGang(draft, lost, failure, executorAlive);
  }

  /**
   * No loss was reported: the failure that was reported first counts, and where the job goes on
   * without its task, the next one.
   */
  static void waitExpired(DecisionBuilder draft) {
    while (!pending(draft.state()).isEmpty()) { // none is, once the job ends or starts again
      TaskFact.Failed first = pending(draft.state()).get(0);
      Task task = draft.state().tasks().get(first.task());
      draft.record(first);
      TaskCompletion.afterFailure(draft, task, TaskFailure.of(first), true);
    }
  }

  /** The job ends, and so do these tasks, whose programs have ended already. */
  static void stopTasks(DecisionBuilder draft, JobState before) {
    for (TaskFact.Failed failure : pending(before)) {
      JobShutdown.taskGone(draft, before.tasks().get(failure.task()).key());
    }
  }
}
