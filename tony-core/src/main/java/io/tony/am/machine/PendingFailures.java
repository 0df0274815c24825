package io.tony.am.machine;

import io.tony.event.PendingFailure;
import io.tony.event.TaskFact;
import io.tony.failure.SecondaryFailure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Holds back failures that look like the consequence of another task's end, if they would end the
 * job. A program that loses a connection to a lost task is reported before YARN reports the lost
 * container. If a loss is reported soon, it counts as the cause: the budget for losses is charged,
 * and the gang restarts. Until then, the executor of the failed program keeps its container.
 */
final class PendingFailures {
  /**
   * Maximum wait for YARN's report of a lost container after the failure of a program. The report
   * takes one heartbeat of the node and one of the ApplicationMaster, 1 s each by default; doubled
   * because heartbeats may be late, plus 1 s.
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
   * Holds the failure back if it looks like a consequence and would end the job. Returns true if it
   * is held back. If a member's loss is already known, restarts the gang at once. A later failure
   * does not extend the wait.
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

  /** Returns a lost task without which the others run until it is back; empty if there is none. */
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
   * Restarts the gang if a lost member explains the failure, although the other programs seemed to
   * survive the loss. The loss was charged when the member restarted and is not charged again.
   */
  private static void restartGangForLostMember(DecisionBuilder decision) {
    lostMember(decision.state())
        .ifPresent(lost -> RestartPolicy.restartGangForChargedLoss(decision, lost));
  }

  /**
   * Restarts the gang if the loss of this task explains the pending failures. Returns true if the
   * gang restarts. Any budget that would pay for a restart of the lost task alone pays for the
   * gang's restart.
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
   * Handles the end of the wait without a report of a loss: the failure that was reported first
   * counts as a failure of its own. If the job goes on without that task, the next failure counts,
   * too, and so on.
   */
  static void waitExpired(DecisionBuilder decision) {
    while (!pending(decision.state()).isEmpty()) { // empty once the job ends or the gang restarts
      TaskFact.Failed first = pending(decision.state()).get(0);
      Task task = decision.state().tasks().get(first.task());
      decision.record(first);
      TaskCompletion.handleFailure(decision, task, TaskFailure.of(first), true);
    }
  }

  /**
   * Records that the tasks with pending failures have stopped, because their programs ended before.
   */
  static void recordStopped(DecisionBuilder decision, JobState before) {
    for (TaskFact.Failed failure : pending(before)) {
      JobShutdown.taskGone(decision, before.tasks().get(failure.task()).key());
    }
  }
}
