package io.tony.am.machine;

import io.tony.event.PendingFailure;
import io.tony.event.TaskFact;
import io.tony.failure.SecondaryFailure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Holds back failures that look like the consequence of another task's end, if they would end the
 * job. Programs that lose a connection report before YARN reports the lost container. If a loss is
 * reported soon, the loss is the cause: its budget is charged and the gang restarts. Until then the
 * executor of the failed program keeps its container.
 */
final class PendingFailures {
  /**
   * Maximum time from a program's failure to YARN's report of the lost container: one heartbeat of
   * the node and one of the ApplicationMaster, 1 s each by default, doubled for late heartbeats,
   * and a margin.
   */
  static final Duration MAX_WAIT = Duration.ofSeconds(5);

  /**
   * Maximum number of pending failures recorded in full; later ones are shortened. One lost task
   * makes many others fail with equal messages.
   */
  static final int MAX_FULL_FAILURES = 20;

  private PendingFailures() {}

  /** Returns true if the task's program has failed and its failure waits for its cause. */
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
   * Returns true if the failure, which is not recorded yet, waits for its cause. A later failure
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

  /** Returns a task that was lost and that the others run without until it is back. */
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
   * Restarts the gang after a loss that the others seemed to survive. The budget that was charged
   * for the loss is not charged again.
   */
  private static void restartGangForLostMember(DecisionBuilder decision) {
    lostMember(decision.state())
        .ifPresent(lost -> RestartPolicy.restartGangForChargedLoss(decision, lost));
  }

  /**
   * Restarts the gang if the loss of this task explains the pending failures. Returns true if it
   * did. A budget that pays for a restart of the task alone also pays for the gang's restart.
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
   * Handles the end of the wait without a reported loss: the failure that was reported first
   * counts. If the job goes on without its task, the next failure counts as well.
   */
  static void waitExpired(DecisionBuilder decision) {
    while (!pending(decision.state()).isEmpty()) { // none is left once the job ends or restarts
      TaskFact.Failed first = pending(decision.state()).get(0);
      Task task = decision.state().tasks().get(first.task());
      decision.record(first);
      TaskCompletion.handleFailure(decision, task, TaskFailure.of(first), true);
    }
  }

  /** Records the end of the tasks with pending failures, whose programs have ended already. */
  static void recordStopped(DecisionBuilder decision, JobState before) {
    for (TaskFact.Failed failure : pending(before)) {
      JobShutdown.taskGone(decision, before.tasks().get(failure.task()).key());
    }
  }
}
