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
 * the task's present attempt; one timer serves all of them.
 */
final class WaitLimits {
  /** Timers and the clock of the events may differ by so much. */
  private static final Duration EXACTNESS = Duration.ofSeconds(1);

  private WaitLimits() {}

  /**
   * Sets and cancels the timers, at the end of a decision.
   *
   * @param before the state before the event
   */
  static void follow(Draft draft, JobState before, Event event) {
    // A predecessor's timers are gone with it.
    JobState waited = event instanceof AmReady ? null : before;
    cause(draft, waited);
    switch (draft.state().phase()) {
      case ALLOCATING, BACKING_OFF, REGISTERING, RUNNING -> {
        containers(draft, waited);
        executors(draft, waited, event);
      }
      // Whatever begins to stop cancels these two.
      case NEW, STOPPING, FINISHED -> {}
    }
  }

  /** A later failure does not prolong the wait; another ApplicationMaster waits as long again. */
  private static void cause(Draft draft, JobState before) {
    boolean waits = PendingFailures.arePending(draft.state());
    boolean waited = before != null && PendingFailures.arePending(before);
    if (waits && !waited) {
      draft.act(new SetTimer(Timer.CAUSE, PendingFailures.MAX_WAIT));
    } else if (waited && !waits) {
      draft.act(new CancelTimer(Timer.CAUSE));
    }
  }

  /** The limit of the allocation counts on through back-offs. */
  private static void containers(Draft draft, JobState before) {
    JobState state = draft.state();
    boolean waits = Joining.othersWait(state);
    boolean waited = before != null && Joining.othersWait(before);
    boolean gathers = gathers(state) && (before == null || !gathers(before));
    if (waits && (gathers || !waited)) {
      draft.act(Starting.timer(Timer.ALLOCATION, state.job().limits().allocation()));
    } else if (waited && !waits) {
      draft.act(new CancelTimer(Timer.ALLOCATION));
    }
  }

  private static boolean gathers(JobState state) {
    return state.phase() == Phase.ALLOCATING || state.phase() == Phase.BACKING_OFF;
  }

  private static void executors(Draft draft, JobState before, Event event) {
    JobLimits limits = draft.state().job().limits();
    boolean waits = draft.state().tasks().count(TaskState.LAUNCHING) > 0;
    boolean waited = before != null && before.tasks().count(TaskState.LAUNCHING) > 0;
    boolean fired = event instanceof TimerFired timer && timer.timer().equals(Timer.REGISTRATION);
    if (waits && !waited) {
      draft.act(Starting.timer(Timer.REGISTRATION, limits.registration()));
    } else if (waits && fired) {
      draft.act(new SetTimer(Timer.REGISTRATION, untilTheNext(draft)));
    } else if (waited && !waits) {
      draft.act(new CancelTimer(Timer.REGISTRATION));
    }
  }

  /** How long the executor has that is due first. */
  private static Duration untilTheNext(Draft draft) {
    Duration limit = draft.state().job().limits().registration();
    Duration longest =
        awaited(draft.state()).stream()
            .map(task -> waited(task, draft.at()))
            .max(Duration::compareTo)
            .orElse(Duration.ZERO);
    Duration left = limit.minus(longest);
    return left.compareTo(EXACTNESS) < 0 ? EXACTNESS : left;
  }

  /** How long the executor has been waited for; none where the clock was set back meanwhile. */
  private static Duration waited(Task task, Instant now) {
    Duration waited = Duration.between(task.launched(), now);
    return waited.isNegative() ? Duration.ZERO : waited;
  }

  private static List<Task> awaited(JobState state) {
    return state.tasks().stream().filter(task -> task.state() == TaskState.LAUNCHING).toList();
  }

  /** The time of some executors is up. Tasks that start by themselves are lost, if it is theirs. */
  static void passed(Draft draft) {
    JobState state = draft.state();
    Duration limit = state.job().limits().registration();
    List<Task> late =
        awaited(state).stream()
            .filter(task -> waited(task, draft.at()).plus(EXACTNESS).compareTo(limit) >= 0)
            .toList();
    if (late.stream().allMatch(task -> task.alone() || state.goesOnWithout(task))) {
      late.forEach(task -> giveUp(draft, state, task));
    } else {
      Timeouts.end(draft, Timeouts.registration(state, late));
    }
  }

  private static void giveUp(Draft draft, JobState before, Task task) {
    // The one before may have ended the job, or started the gang again.
    JobState state = draft.state();
    if (state.phase() != Phase.STOPPING
        && state.phase() != Phase.FINISHED
        && state.session() == before.session()) {
      TaskFailure failure = TaskFailure.notRegistered(task, state.job().limits());
      JobMachine.failed(draft, task, failure, false);
    }
  }
}
