package io.tony.am.machine;

import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Event.AmReady;
import io.tony.am.machine.Event.TimerFired;
import io.tony.model.JobLimits;
import io.tony.model.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Limits the waits for containers, for executors, and for the cause of failures. Each wait has one
 * timer for all tasks. After every event, the timer is set if its wait has begun and canceled if
 * its wait has ended. The limit of an executor counts from the allocation of its container, or from
 * the restart in the same container. The limit of a container that a running gang needs counts from
 * the request for this container.
 */
final class WaitLimits {
  /**
   * Maximum assumed difference between the clock of the timers and the clock of the events. A wait
   * that is shorter than its limit by no more than this counts as expired.
   */
  private static final Duration TIMER_TOLERANCE = Duration.ofSeconds(1);

  private WaitLimits() {}

  /**
   * Sets the timers of waits that have begun with this event, and cancels those of waits that have
   * ended. Called as the last step of a decision.
   *
   * @param before the job's state before the event
   */
  static void updateTimers(DecisionBuilder decision, JobState before, Event event) {
    // The timers of an earlier ApplicationMaster do not exist any more. Therefore all waits count
    // as having begun with this event.
    JobState previous = event instanceof AmReady ? null : before;
    updateCauseTimer(decision, previous);
    switch (decision.state().phase()) {
      case ALLOCATING, BACKING_OFF, REGISTERING, RUNNING -> {
        updateAllocationTimer(decision, previous, event);
        updateRegistrationTimer(decision, previous, event);
      }
      // In these phases, nothing waits for containers or executors. When the job begins to stop,
      // JobShutdown cancels both timers itself.
      case NEW, STOPPING, FINISHED -> {}
    }
  }

  /**
   * Sets the timer when the first failure begins to wait for the report of its cause, and cancels
   * it when no failure waits any more. A later failure does not extend the wait; after a change of
   * ApplicationMasters, the wait starts again.
   */
  private static void updateCauseTimer(DecisionBuilder decision, @Nullable JobState before) {
    boolean isWaiting = PendingFailures.arePending(decision.state());
    boolean wasWaiting = before != null && PendingFailures.arePending(before);
    if (isWaiting && !wasWaiting) {
      decision.emit(new SetTimer(Timer.CAUSE, PendingFailures.MAX_WAIT));
    } else if (wasWaiting && !isWaiting) {
      decision.emit(new CancelTimer(Timer.CAUSE));
    }
  }

  /**
   * Sets or cancels the timer that limits the wait for containers. The time of a back-off counts as
   * waiting.
   */
  private static void updateAllocationTimer(
      DecisionBuilder decision, @Nullable JobState before, Event event) {
    JobState state = decision.state();
    boolean isWaiting = LiveResize.isWaitingForContainers(state);
    boolean wasWaiting = before != null && LiveResize.isWaitingForContainers(before);
    boolean startsGathering = state.isGathering() && (before == null || !before.isGathering());
    if (isWaiting && (startsGathering || !wasWaiting)) {
      decision.emit(GangStart.timerUnlessZero(Timer.ALLOCATION, state.job().limits().allocation()));
    } else if (isWaiting && isExpiryOf(event, Timer.ALLOCATION)) {
      Duration limit = state.job().limits().allocation();
      decision.emit(
          GangStart.timerUnlessZero(
              Timer.ALLOCATION, timeUntilNextDue(decision, missingTasks(state), limit)));
    } else if (wasWaiting && !isWaiting) {
      decision.emit(new CancelTimer(Timer.ALLOCATION));
    }
  }

  /**
   * Returns true if a needed container is missing and its limit is reached. Called when the timer
   * expires: the limit of a gang that is gathering its containers is then reached; in a running
   * gang, a task must have waited for as long as the limit.
   */
  static boolean isAllocationDue(DecisionBuilder decision) {
    JobState state = decision.state();
    return LiveResize.isWaitingForContainers(state)
        && (state.isGathering()
            || missingTasks(state).stream()
                .anyMatch(task -> isDue(decision, task, state.job().limits().allocation())));
  }

  /** Returns the tasks that wait for containers that the running gang needs. */
  private static List<Task> missingTasks(JobState state) {
    return state.tasks().stream()
        .filter(task -> task.state() == TaskState.REQUESTED)
        .filter(task -> LiveResize.isShortOf(state, state.role(task)))
        .toList();
  }

  private static boolean isDue(DecisionBuilder decision, Task task, Duration limit) {
    return waitTime(task, decision.at()).plus(TIMER_TOLERANCE).compareTo(limit) >= 0;
  }

  private static boolean isExpiryOf(Event event, Timer timer) {
    return event instanceof TimerFired fired && fired.timer().equals(timer);
  }

  private static void updateRegistrationTimer(
      DecisionBuilder decision, @Nullable JobState before, Event event) {
    JobLimits limits = decision.state().job().limits();
    boolean isWaiting = decision.state().tasks().count(TaskState.LAUNCHING) > 0;
    boolean wasWaiting = before != null && before.tasks().count(TaskState.LAUNCHING) > 0;
    if (isWaiting && !wasWaiting) {
      decision.emit(GangStart.timerUnlessZero(Timer.REGISTRATION, limits.registration()));
    } else if (isWaiting && isExpiryOf(event, Timer.REGISTRATION)) {
      Duration delay =
          timeUntilNextDue(decision, launchingTasks(decision.state()), limits.registration());
      decision.emit(new SetTimer(Timer.REGISTRATION, delay));
    } else if (wasWaiting && !isWaiting) {
      decision.emit(new CancelTimer(Timer.REGISTRATION));
    }
  }

  /**
   * Returns the time until the first of these tasks reaches the limit; at least {@link
   * #TIMER_TOLERANCE}.
   */
  private static Duration timeUntilNextDue(
      DecisionBuilder decision, List<Task> tasks, Duration limit) {
    Duration maxWait =
        tasks.stream()
            .map(task -> waitTime(task, decision.at()))
            .max(Duration::compareTo)
            .orElse(Duration.ZERO);
    Duration remaining = limit.minus(maxWait);
    return remaining.compareTo(TIMER_TOLERANCE) < 0 ? TIMER_TOLERANCE : remaining;
  }

  /**
   * Returns how long the task has waited for its container or executor; zero if the clock was set
   * back.
   */
  private static Duration waitTime(Task task, Instant now) {
    Duration waitTime = Duration.between(task.waitingSince(), now);
    return waitTime.isNegative() ? Duration.ZERO : waitTime;
  }

  private static List<Task> launchingTasks(JobState state) {
    return state.tasks().stream().filter(task -> task.state() == TaskState.LAUNCHING).toList();
  }

  /**
   * Handles executors that did not register in time. If each of their tasks starts alone or is
   * optional, the tasks fail; otherwise the job ends.
   */
  static void registrationExpired(DecisionBuilder decision) {
    JobState state = decision.state();
    Duration limit = state.job().limits().registration();
    List<Task> late =
        launchingTasks(state).stream().filter(task -> isDue(decision, task, limit)).toList();
    if (late.stream().allMatch(task -> task.alone() || state.canContinueWithout(task))) {
      late.forEach(task -> giveUp(decision, state, task));
    } else {
      Timeouts.endJob(decision, Timeouts.registrationMessage(state, late));
    }
  }

  private static void giveUp(DecisionBuilder decision, JobState before, Task task) {
    // The failure of another of these tasks may have ended the job or restarted the gang. Then the
    // task does not fail any more.
    JobState state = decision.state();
    if (state.phase() != Phase.STOPPING
        && state.phase() != Phase.FINISHED
        && state.session() == before.session()) {
      TaskFailure failure = TaskFailure.notRegistered(task, state.job().limits());
      JobMachine.failTask(decision, task, failure, false);
    }
  }
}
