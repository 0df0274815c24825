package io.tony.am.machine;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.fact.GangFact;
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
final class BackingOff {
  private static final int MOST_DOUBLINGS = 5;
  private static final String REASON = "the gang gives its containers back, to ask again later";

  private BackingOff() {}

  /** The gang has waited long enough without a new container. */
  static void holdPassed(Draft draft) {
    JobState state = draft.state();
    boolean gang = state.job().mode() == DistributedMode.GANG && state.phase() == Phase.ALLOCATING;
    if (gang && Elastic.settle(draft, "YARN did not give more")) {
      return;
    }
    if (gang && state.tasks().stream().anyMatch(Task::givesBack)) {
      backOff(draft);
    } else {
      // It keeps nobody from anything.
      draft.act(Starting.timer(Timer.HOLD, hold(state)));
    }
  }

  private static Duration hold(JobState state) {
    return state.tasks().count(TaskState.REQUESTED) > 0
        ? state.job().limits().hold()
        : Duration.ZERO;
  }

  private static void backOff(Draft draft) {
    JobState before = draft.state();
    Duration wait = wait(before);
    draft.record(new GangFact.BackedOff(Shortage.of(before), wait.toMillis() + " ms"));
    for (RoleSpec role : before.job().roles()) {
      int pending = 0;
      for (Task task : before.tasks().of(role.name())) {
        pending += task.state() == TaskState.REQUESTED && !task.alone() ? 1 : 0;
      }
      if (pending > 0) {
        draft.act(new CancelRequests(role, pending));
      }
    }
    for (Task task : before.tasks()) {
      if (task.givesBack()) {
        draft.act(
            task.state() == TaskState.LAUNCHING
                ? new StopContainer(task.key())
                : new StopTask(task.key(), REASON));
      }
    }
    draft.act(new CancelTimer(Timer.HOLD));
    draft.act(new CancelTimer(Timer.NOTICE));
    draft.act(new CancelTimer(Timer.ELASTIC));
    draft.act(new SetTimer(Timer.BACK_OFF, wait));
  }

  /**
   * Doubles from time to time; between half and one and a half of that, by the job's own chance.
   */
  private static Duration wait(JobState state) {
    int backOffs = state.gang().backOffs();
    long doubled = state.job().limits().backOff().toMillis() << Math.min(backOffs, MOST_DOUBLINGS);
    // Random begins nearly alike for neighbouring seeds: those of two jobs submitted in a row.
    double chance = new SplittableRandom(state.seed() * 31 + backOffs).nextDouble();
    return Duration.ofMillis((long) (doubled * (0.5 + chance)));
  }
}
