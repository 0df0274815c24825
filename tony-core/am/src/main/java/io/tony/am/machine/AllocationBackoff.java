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
 * Prevents a deadlock between gangs of which each holds containers that the other one needs. A gang
 * that lacks containers for too long gives back those it has, waits for a random delay, and
 * requests all of them again.
 */
final class AllocationBackoff {
  private static final int MAX_DOUBLINGS = 5;
  private static final String STOP_REASON =
      "the gang gives its containers back, to ask again later";

  private AllocationBackoff() {}

  /**
   * Handles the expiry of {@link Timer.Kind#PARTIAL_ALLOCATION}: some containers are missing, and
   * none has arrived for the time limit. Shrinks an elastic gang that can run with the containers
   * it has. Otherwise backs off if the gang holds idle containers; if it holds none, waits on.
   */
  static void partialAllocationExpired(DecisionBuilder decision) {
    JobState state = decision.state();
    boolean gang = state.job().mode() == DistributedMode.GANG && state.phase() == Phase.ALLOCATING;
    if (gang && ElasticPolicy.tryShrink(decision, "YARN did not give more")) {
      return;
    }
    if (gang && state.tasks().stream().anyMatch(Task::holdsIdleContainer)) {
      backOff(decision);
    } else {
      // Without idle containers, the job keeps nothing from other jobs. Therefore it gives nothing
      // back, and only waits on for the missing containers.
      decision.emit(
          GangStart.timerUnlessZero(Timer.PARTIAL_ALLOCATION, partialAllocationLimit(state)));
    }
  }

  private static Duration partialAllocationLimit(JobState state) {
    return state.tasks().count(TaskState.REQUESTED) > 0
        ? state.job().limits().partialAllocation()
        : Duration.ZERO;
  }

  private static void backOff(DecisionBuilder decision) {
    JobState before = decision.state();
    Duration delay = backoffDelay(before);
    decision.record(new GangFact.BackedOff(ContainerShortage.of(before), delay.toMillis() + " ms"));
    for (RoleSpec role : before.job().roles()) {
      int pending = 0;
      for (Task task : before.tasks().of(role.name())) {
        pending += task.state() == TaskState.REQUESTED && !task.alone() ? 1 : 0;
      }
      if (pending > 0) {
        decision.emit(new CancelRequests(role, pending));
      }
    }
    for (Task task : before.tasks()) {
      if (task.holdsIdleContainer()) {
        decision.emit(
            task.state() == TaskState.LAUNCHING
                ? new StopContainer(task.key())
                : new StopTask(task.key(), STOP_REASON));
      }
    }
    decision.emit(new CancelTimer(Timer.PARTIAL_ALLOCATION));
    decision.emit(new CancelTimer(Timer.NOTICE));
    decision.emit(new CancelTimer(Timer.ELASTIC));
    decision.emit(new SetTimer(Timer.BACK_OFF, delay));
  }

  /**
   * Returns the delay before the containers are requested again. The delay doubles with each
   * back-off, up to a limit, and is multiplied by a factor between 0.5 and 1.5 that is derived from
   * the job's seed.
   */
  private static Duration backoffDelay(JobState state) {
    int backoffCount = state.gang().backoffCount();
    long doubledMs =
        state.job().limits().allocationBackoff().toMillis()
            << Math.min(backoffCount, MAX_DOUBLINGS);
    // SplittableRandom gives similar first values for neighboring seeds, such as those of two jobs
    // submitted in a row; the multiplication moves the seeds apart.
    double chance = new SplittableRandom(state.seed() * 31 + backoffCount).nextDouble();
    return Duration.ofMillis((long) (doubledMs * (0.5 + chance)));
  }
}
