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
        containers(draft, waited, event);
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
  private static void containers(Draft draft, JobState before, Event event) {
    JobState state = draft.state();
    boolean waits = Joining.othersWait(state);
    boolean waited = before != null && Joining.othersWait(before);
    boolean gathers = state.gathers() && (before == null || !before.gathers());
    if (waits && (gathers || !waited)) {
      draft.act(Starting.timer(Timer.ALLOCATION, state.job().limits().allocation()));
    } else if (waits && fires(event, Timer.ALLOCATION)) {
      Duration limit = state.job().limits().allocation();
      draft.act(Starting.timer(Timer.ALLOCATION, untilTheNext(draft, missed(state), limit)));
    } else if (waited && !waits) {
      draft.act(new CancelTimer(Timer.ALLOCATION));
    }
  }

  /** Whether the time of a container is up: of a gang that gathers, of all of them together. */
  static boolean isContainerDue(Draft draft) {
    JobState state = draft.state();
    return Joining.othersWait(state)
        && (state.gathers()
            || missed(state).stream()
                .anyMatch(task -> isDue(draft, task, state.job().limits().allocation())));
  }

  /** The tasks whose containers those that run need. */
  private static List<Task> missed(JobState state) {
    return state.tasks().stream()
        .filter(task -> task.state() == TaskState.REQUESTED)
        .filter(task -> Joining.othersMiss(state, state.role(task)))
        .toList();
  }

  private static boolean isDue(Draft draft, Task task, Duration limit) {
    return waited(task, draft.at()).plus(EXACTNESS).compareTo(limit) >= 0;
  }

  private static boolean fires(Event event, Timer timer) {
    return event instanceof TimerFired fired && fired.timer().equals(timer);
  }

  private static void executors(Draft draft, JobState before, Event event) {
    JobLimits limits = draft.state().job().limits();
    boolean waits = draft.state().tasks().count(TaskState.LAUNCHING) > 0;
    boolean waited = before != null && before.tasks().count(TaskState.LAUNCHING) > 0;
    if (waits && !waited) {
      draft.act(Starting.timer(Timer.REGISTRATION, limits.registration()));
    } else if (waits && fires(event, Timer.REGISTRATION)) {
      Duration next = untilTheNext(draft, awaited(draft.state()), limits.registration());
      draft.act(new SetTimer(Timer.REGISTRATION, next));
    } else if (waited && !waits) {
      draft.act(new CancelTimer(Timer.REGISTRATION));
    }
  }

  /** How long the one of these has that is due first. */
  private static Duration untilTheNext(Draft draft, List<Task> tasks, Duration limit) {
    Duration longest =
        tasks.stream()
            .map(task -> waited(task, draft.at()))
            .max(Duration::compareTo)
            .orElse(Duration.ZERO);
    Duration left = limit.minus(longest);
    return left.compareTo(EXACTNESS) < 0 ? EXACTNESS : left;
  }

  /**
   * How long the container or the executor has been waited for; none where the clock was set back
   * meanwhile.
   */
  private static Duration waited(Task task, Instant now) {
    Duration waited = Duration.between(task.since(), now);
    return waited.isNegative() ? Duration.ZERO : waited;
  }

  private static List<Task> awaited(JobState state) {
    return state.tasks().stream().filter(task -> task.state() == TaskState.LAUNCHING).toList();
  }

  /** The time of some executors is up. Tasks that start by themselves are lost, if it is theirs. */
  static void passed(Draft draft) {
    JobState state = draft.state();
    Duration limit = state.job().limits().registration();
    List<Task> late = awaited(state).stream().filter(task -> isDue(draft, task, limit)).toList();
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
