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
 * The limits of the waits for containers, for executors and for the cause of failures. Their timers
 * follow from the state alone: each is set when such a wait begins, and canceled when it is over,
 * whatever led there. So none outlives its wait. The limit of an executor counts from the start of
 * the task's present attempt, that of a container while others run from when it was asked for; one
 * timer serves all of them.
 */
final class WaitLimits {
  /** Timers and the clock of the events may differ by so much. */
  private static final Duration TIMER_TOLERANCE = Duration.ofSeconds(1);

  private WaitLimits() {}

  /**
   * Sets and cancels the timers, at the end of a decision.
   *
   * @param before the state before the event
   */
  static void updateTimers(DecisionBuilder draft, JobState before, Event event) {
    // A predecessor's timers are gone with it.
    JobState previous = event instanceof AmReady ? null : before;
    updateCauseTimer(draft, previous);
    switch (draft.state().phase()) {
      case ALLOCATING, BACKING_OFF, REGISTERING, RUNNING -> {
        updateAllocationTimer(draft, previous, event);
        updateRegistrationTimer(draft, previous, event);
      }
      // Whatever begins to stop cancels these two.
      case NEW, STOPPING, FINISHED -> {}
    }
  }

  /** A later failure does not prolong the wait; another ApplicationMaster waits as long again. */
  private static void updateCauseTimer(DecisionBuilder draft, JobState before) {
    boolean isWaiting = PendingFailures.arePending(draft.state());
    boolean wasWaiting = before != null && PendingFailures.arePending(before);
    if (isWaiting && !wasWaiting) {
      draft.emit(new SetTimer(Timer.CAUSE, PendingFailures.MAX_WAIT));
    } else if (wasWaiting && !isWaiting) {
      draft.emit(new CancelTimer(Timer.CAUSE));
    }
  }

  /** The limit of the allocation counts on through back-offs. */
  private static void updateAllocationTimer(DecisionBuilder draft, JobState before, Event event) {
    JobState state = draft.state();
    boolean isWaiting = LiveResize.isWaitingForContainers(state);
    boolean wasWaiting = before != null && LiveResize.isWaitingForContainers(before);
    boolean startsGathering = state.isGathering() && (before == null || !before.isGathering());
    if (isWaiting && (startsGathering || !wasWaiting)) {
      draft.emit(GangStart.timerUnlessZero(Timer.ALLOCATION, state.job().limits().allocation()));
    } else if (isWaiting && isExpiryOf(event, Timer.ALLOCATION)) {
      Duration limit = state.job().limits().allocation();
      draft.emit(
          GangStart.timerUnlessZero(
              Timer.ALLOCATION, timeUntilNextDue(draft, missingTasks(state), limit)));
    } else if (wasWaiting && !isWaiting) {
      draft.emit(new CancelTimer(Timer.ALLOCATION));
    }
  }

  /** Whether the time of a container is up: of a gang that gathers, of all of them together. */
  static boolean isAllocationDue(DecisionBuilder draft) {
    JobState state = draft.state();
    return LiveResize.isWaitingForContainers(state)
        && (state.isGathering()
            || missingTasks(state).stream()
                .anyMatch(task -> isDue(draft, task, state.job().limits().allocation())));
  }

  /** The tasks whose containers those that run need. */
  private static List<Task> missingTasks(JobState state) {
    return state.tasks().stream()
        .filter(task -> task.state() == TaskState.REQUESTED)
        .filter(task -> LiveResize.isShortOf(state, state.role(task)))
        .toList();
  }

  private static boolean isDue(DecisionBuilder draft, Task task, Duration limit) {
    return waitTime(task, draft.at()).plus(TIMER_TOLERANCE).compareTo(limit) >= 0;
  }

  private static boolean isExpiryOf(Event event, Timer timer) {
    return event instanceof TimerFired fired && fired.timer().equals(timer);
  }

  private static void updateRegistrationTimer(DecisionBuilder draft, JobState before, Event event) {
    JobLimits limits = draft.state().job().limits();
    boolean isWaiting = draft.state().tasks().count(TaskState.LAUNCHING) > 0;
    boolean wasWaiting = before != null && before.tasks().count(TaskState.LAUNCHING) > 0;
    if (isWaiting && !wasWaiting) {
      draft.emit(GangStart.timerUnlessZero(Timer.REGISTRATION, limits.registration()));
    } else if (isWaiting && isExpiryOf(event, Timer.REGISTRATION)) {
      Duration delay =
          timeUntilNextDue(draft, launchingTasks(draft.state()), limits.registration());
      draft.emit(new SetTimer(Timer.REGISTRATION, delay));
    } else if (wasWaiting && !isWaiting) {
      draft.emit(new CancelTimer(Timer.REGISTRATION));
    }
  }

  /** How long the one of these has that is due first. */
  private static Duration timeUntilNextDue(
      DecisionBuilder draft, List<Task> tasks, Duration limit) {
    Duration maxWait =
        tasks.stream()
            .map(task -> waitTime(task, draft.at()))
            .max(Duration::compareTo)
            .orElse(Duration.ZERO);
    Duration remaining = limit.minus(maxWait);
    return remaining.compareTo(TIMER_TOLERANCE) < 0 ? TIMER_TOLERANCE : remaining;
  }

  /**
   * How long the container or the executor has been waited for; none where the clock was set back
   * meanwhile.
   */
  private static Duration waitTime(Task task, Instant now) {
    Duration waitTime = Duration.between(task.waitingSince(), now);
    return waitTime.isNegative() ? Duration.ZERO : waitTime;
  }

  private static List<Task> launchingTasks(JobState state) {
    return state.tasks().stream().filter(task -> task.state() == TaskState.LAUNCHING).toList();
  }

  /** The time of some executors is up. Tasks that start by themselves are lost, if it is theirs. */
  static void registrationExpired(DecisionBuilder draft) {
    JobState state = draft.state();
    Duration limit = state.job().limits().registration();
    List<Task> late =
        launchingTasks(state).stream().filter(task -> isDue(draft, task, limit)).toList();
    if (late.stream().allMatch(task -> task.alone() || state.canContinueWithout(task))) {
      late.forEach(task -> giveUp(draft, state, task));
    } else {
      Timeouts.endJob(draft, Timeouts.registrationMessage(state, late));
    }
  }

  private static void giveUp(DecisionBuilder draft, JobState before, Task task) {
    // The one before may have ended the job, or started the gang again.
    JobState state = draft.state();
    if (state.phase() != Phase.STOPPING
        && state.phase() != Phase.FINISHED
        && state.session() == before.session()) {
      TaskFailure failure = TaskFailure.notRegistered(task, state.job().limits());
      JobMachine.failTask(draft, task, failure, false);
    }
  }
}
