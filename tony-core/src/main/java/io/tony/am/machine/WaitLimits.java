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

/**
 * Limits the waits for containers, for executors and for the cause of failures. The timers follow
 * from the state alone: each is set when its wait begins and canceled when the wait ends, so none
 * outlives its wait. An executor's limit counts from the start of the task's current attempt, the
 * limit of a container that a running gang needs from its request. One timer serves all tasks.
 */
final class WaitLimits {
  /** Maximum difference between timers and the clock of the events. */
  private static final Duration TIMER_TOLERANCE = Duration.ofSeconds(1);

  private WaitLimits() {}

  /**
   * Sets and cancels the timers at the end of a decision.
   *
   * @param before the state before the event
   */
  static void updateTimers(DecisionBuilder decision, JobState before, Event event) {
    // Timers of an earlier ApplicationMaster are gone.
    JobState previous = event instanceof AmReady ? null : before;
    updateCauseTimer(decision, previous);
    switch (decision.state().phase()) {
      case ALLOCATING, BACKING_OFF, REGISTERING, RUNNING -> {
        updateAllocationTimer(decision, previous, event);
        updateRegistrationTimer(decision, previous, event);
      }
      // Shutdown cancels these two timers itself.
      case NEW, STOPPING, FINISHED -> {}
    }
  }

  /**
   * Updates the timer for pending failures. A later failure does not extend the wait; a new
   * ApplicationMaster starts the wait again.
   */
  private static void updateCauseTimer(DecisionBuilder decision, JobState before) {
    boolean isWaiting = PendingFailures.arePending(decision.state());
    boolean wasWaiting = before != null && PendingFailures.arePending(before);
    if (isWaiting && !wasWaiting) {
      decision.emit(new SetTimer(Timer.CAUSE, PendingFailures.MAX_WAIT));
    } else if (wasWaiting && !isWaiting) {
      decision.emit(new CancelTimer(Timer.CAUSE));
    }
  }

  /** Updates the allocation timer. Its limit keeps counting during back-offs. */
  private static void updateAllocationTimer(
      DecisionBuilder decision, JobState before, Event event) {
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
   * Returns true if the limit is reached: for a gang that gathers its containers, the one common
   * limit; otherwise the limit of any missing container.
   */
  static boolean isAllocationDue(DecisionBuilder decision) {
    JobState state = decision.state();
    return LiveResize.isWaitingForContainers(state)
        && (state.isGathering()
            || missingTasks(state).stream()
                .anyMatch(task -> isDue(decision, task, state.job().limits().allocation())));
  }

  /** Returns the tasks whose containers the running tasks need. */
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
      DecisionBuilder decision, JobState before, Event event) {
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

  /** Returns the time until the first of these tasks reaches the limit. */
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
   * Returns how long the task's container or executor has been awaited; zero if the clock was set
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
   * Handles executors that did not register in time. If all late tasks start alone or are optional,
   * they are lost; otherwise the job ends.
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
    // The previous task may have ended the job or restarted the gang.
    JobState state = decision.state();
    if (state.phase() != Phase.STOPPING
        && state.phase() != Phase.FINISHED
        && state.session() == before.session()) {
      TaskFailure failure = TaskFailure.notRegistered(task, state.job().limits());
      JobMachine.failTask(decision, task, failure, false);
    }
  }
}
