package io.tony.am.machine;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.event.GangFact;
import io.tony.model.DistributedMode;
import io.tony.model.RoleSpec;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * A gang that lacks containers must not keep those that it has for ever: another gang may wait for
 * just these, and hold what this one waits for. It gives them back, waits for a time that differs
 * from job to job, and asks again.
 */
final class AllocationBackoff {
  private static final int MAX_DOUBLINGS = 5;
  private static final String STOP_REASON =
      "the gang gives its containers back, to ask again later";

  private AllocationBackoff() {}

  /** The gang has waited long enough without a new container. */
  static void holdExpired(DecisionBuilder draft) {
    JobState state = draft.state();
    boolean gang = state.job().mode() == DistributedMode.GANG && state.phase() == Phase.ALLOCATING;
    if (gang && ElasticPolicy.tryShrink(draft, "YARN did not give more")) {
      return;
    }
    if (gang && state.tasks().stream().anyMatch(Task::holdsIdleContainer)) {
      backOff(draft);
    } else {
      // It keeps nobody from anything.
      draft.emit(GangStart.timerUnlessZero(Timer.HOLD, holdLimit(state)));
    }
  }

  private static Duration holdLimit(JobState state) {
    return state.tasks().count(TaskState.REQUESTED) > 0
        ? state.job().limits().partialAllocation()
        : Duration.ZERO;
  }

  private static void backOff(DecisionBuilder draft) {
    JobState before = draft.state();
    Duration delay = backoffDelay(before);
    draft.record(new GangFact.BackedOff(ContainerShortage.of(before), delay.toMillis() + " ms"));
    for (RoleSpec role : before.job().roles()) {
      int pending = 0;
      for (Task task : before.tasks().of(role.name())) {
        pending += task.state() == TaskState.REQUESTED && !task.alone() ? 1 : 0;
      }
      if (pending > 0) {
        draft.emit(new CancelRequests(role, pending));
      }
    }
    for (Task task : before.tasks()) {
      if (task.holdsIdleContainer()) {
        draft.emit(
            task.state() == TaskState.LAUNCHING
                ? new StopContainer(task.key())
                : new StopTask(task.key(), STOP_REASON));
      }
    }
    draft.emit(new CancelTimer(Timer.HOLD));
    draft.emit(new CancelTimer(Timer.NOTICE));
    draft.emit(new CancelTimer(Timer.ELASTIC));
    draft.emit(new SetTimer(Timer.BACK_OFF, delay));
  }

  /**
   * Doubles from time to time; between half and one and a half of that, by the job's own chance.
   */
  private static Duration backoffDelay(JobState state) {
    int backoffCount = state.gang().backoffCount();
    long doubledMs =
        state.job().limits().allocationBackoff().toMillis()
            << Math.min(backoffCount, MAX_DOUBLINGS);
    // Random begins nearly alike for neighbouring seeds: those of two jobs submitted in a row.
    double chance = new SplittableRandom(state.seed() * 31 + backoffCount).nextDouble();
    return Duration.ofMillis((long) (doubledMs * (0.5 + chance)));
  }
}
