package io.tony.am.machine;

import io.tony.event.PendingFailure;
import io.tony.event.TaskFact;
import io.tony.failure.SecondaryFailure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Holds back a program's failure that would end the job but looks like the consequence of another
 * task's loss. A program that loses its connection to a lost task fails before YARN reports the
 * lost container. If a loss is reported soon, it counts as the cause: the budget for losses is
 * charged, and the gang restarts. Until then, the executor of the failed program keeps its
 * container.
 */
final class PendingFailures {
  /**
   * Maximum wait for YARN's report of a lost container after the failure of a program. The report
   * takes one heartbeat of the node and one of the ApplicationMaster, 1 s each by default. The
   * limit is twice this time, because heartbeats may be late, plus 1 s.
   */
  static final Duration MAX_WAIT = Duration.ofSeconds(5);

  /**
   * Maximum number of pending failures recorded with all of their stderr; in later ones stderr is
   * shortened. One lost task makes many others fail with the same messages.
   */
  static final int MAX_FULL_FAILURES = 20;

  private PendingFailures() {}

  /** Returns true if the task's program has failed, and the failure waits for its cause. */
  static boolean isPending(JobState state, Task task) {
    return pending(state).stream().anyMatch(failure -> failure.task().equals(task.id()));
  }

  /** Returns true if any failure waits for its cause. */
  static boolean arePending(JobState state) {
    return !pending(state).isEmpty();
  }

  private static List<TaskFact.Failed> pending(JobState state) {
    return state.gang().gangFailure().pendingFailures();
  }

  /**
   * Holds the failure back, and returns true, if it looks like the consequence of another task's
   * loss, would end the job, and may have been caused by a task that is already lost or still runs.
   * Returns false, and does nothing, in all other cases. If a lost member of a gang with live
   * resize is already known, restarts the gang at once. A later failure does not extend the wait of
   * an earlier one.
   */
  static boolean deferIfSecondary(DecisionBuilder decision, Task task, TaskFailure failure) {
    JobState state = decision.state();
    TaskFact.Failed fact = failure.toFact(state, task);
    boolean deferred =
        task.isRunning()
            && !SecondaryFailure.of(fact).isEmpty()
            && TaskCompletion.isFinal(state, task, failure)
            && (lostMember(state).isPresent() || areOthersRunning(state, task));
    if (!deferred) {
      return false;
    }
    boolean inFull = pending(state).size() < MAX_FULL_FAILURES;
    decision.record(
        new PendingFailure(inFull ? fact : SecondaryFailure.brief(fact), MAX_WAIT.toMillis()));
    restartGangForLostMember(decision);
    return true;
  }

  private static boolean areOthersRunning(JobState state, Task task) {
    return state.tasks().stream()
        .anyMatch(
            other ->
                other.isRunning()
                    && !other.id().equals(task.id())
                    && state.isNeededByOthers(other));
  }

  /** Returns a lost task that is restarting alone while the others run; empty if there is none. */
  private static Optional<Task> lostMember(JobState state) {
    return state.tasks().stream().filter(task -> isLostMember(state, task)).findFirst();
  }

  private static boolean isLostMember(JobState state, Task task) {
    return task.alone()
        && !task.isRunning()
        && !task.state().ended()
        && task.failureStreak().containerLoss() != null
        && state.isNeededByOthers(task);
  }

  /**
   * Restarts the gang if a lost member is already known. The loss explains the pending failure,
   * although the other programs seemed to survive it. It was charged when the member restarted
   * alone, and is not charged again.
   */
  private static void restartGangForLostMember(DecisionBuilder decision) {
    lostMember(decision.state())
        .ifPresent(lost -> RestartPolicy.restartGangForChargedLoss(decision, lost));
  }

  /**
   * Restarts the gang if the loss of this task explains the pending failures. Returns false, and
   * does nothing, if it does not, or if no retry budget can pay. The restart is charged to the
   * budget that would pay if the lost task restarted alone; to the gang's budget if the task cannot
   * restart alone.
   *
   * @param executorAlive true if the executor of the lost task still runs
   */
  static boolean tryRestartGangForLoss(
      DecisionBuilder decision, Task lost, TaskFailure failure, boolean executorAlive) {
    boolean explains =
        arePending(decision.state())
            && lost.isRunning()
            && failure.isContainerLoss()
            && decision.state().isNeededByOthers(lost);
    if (!explains) {
      return false;
    }
    if (RestartPolicy.tryRestartTask(decision, lost, failure, executorAlive)) {
      restartGangForLostMember(decision);
      return true;
    }
    return RestartPolicy.tryRestartGang(decision, lost, failure, executorAlive);
  }

  /**
   * Handles the end of the wait without a report of a loss: the failure that was reported first is
   * handled like a failure without another cause. If the job goes on without that task, the next
   * failure is handled, too, and so on.
   */
  static void waitExpired(DecisionBuilder decision) {
    // No failure is pending any more once the job ends or the gang restarts.
    while (!pending(decision.state()).isEmpty()) {
      TaskFact.Failed first = pending(decision.state()).get(0);
      Task task = decision.state().tasks().get(first.task());
      decision.record(first);
      TaskCompletion.handleFailure(decision, task, TaskFailure.of(first), true);
    }
  }

  /**
   * Records that the tasks with pending failures have stopped: their programs had already ended
   * when the job began to stop.
   *
   * @param before the job's state before it began to stop
   */
  static void recordStopped(DecisionBuilder decision, JobState before) {
    for (TaskFact.Failed failure : pending(before)) {
      JobShutdown.taskGone(decision, before.tasks().get(failure.task()).key());
    }
  }
}
