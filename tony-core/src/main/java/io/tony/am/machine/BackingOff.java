package io.tony.am.machine;

import io.tony.am.machine.Action.AppendEvent;
import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.model.DistributedMode;
import io.tony.model.JobEvent;
import io.tony.model.RoleSpec;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

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
  static Decision holdPassed(JobState state, Event event) {
    boolean gang = state.job().mode() == DistributedMode.GANG && state.phase() == Phase.ALLOCATING;
    if (gang && state.tasks().stream().anyMatch(BackingOff::givesBack)) {
      return backOff(state, event);
    }
    // It keeps nobody from anything.
    return new Decision(state, Starting.timer(Timer.HOLD, hold(state)));
  }

  private static Duration hold(JobState state) {
    return state.tasks().count(TaskState.REQUESTED) > 0
        ? state.job().limits().hold()
        : Duration.ZERO;
  }

  private static Decision backOff(JobState state, Event event) {
    List<Action> actions = new ArrayList<>();
    Duration wait = wait(state);
    actions.add(
        new AppendEvent(
            Shortage.describe(state, Facts.job(state, event, JobEvent.Type.GANG_BACKED_OFF))
                .with("wait", wait.toMillis() + " ms")
                .event()));
    for (RoleSpec role : state.job().roles()) {
      int owed = 0;
      for (Task task : state.tasks().of(role.name())) {
        owed += task.state() == TaskState.REQUESTED && !task.alone() ? 1 : 0;
      }
      if (owed > 0) {
        actions.add(new CancelRequests(role, owed));
      }
    }
    for (Task task : state.tasks()) {
      if (givesBack(task)) {
        actions.add(
            task.state() == TaskState.LAUNCHING
                ? new StopContainer(task.key())
                : new StopTask(task.key(), REASON));
      }
    }
    actions.add(new CancelTimer(Timer.HOLD));
    actions.add(new CancelTimer(Timer.NOTICE));
    actions.add(new SetTimer(Timer.BACK_OFF, wait));
    return new Decision(backedOff(state), actions);
  }

  /** The state once all that had not started is back to waiting. */
  static JobState backedOff(JobState state) {
    TaskTable tasks = state.tasks();
    for (Task task : state.tasks()) {
      if (givesBack(task) || (task.state() == TaskState.REQUESTED && !task.alone())) {
        tasks = tasks.with(task.without(TaskState.WAITING));
      }
    }
    return state.with(state.gang().backedOff(tasks)).in(Phase.BACKING_OFF);
  }

  private static boolean givesBack(Task task) {
    return !task.alone()
        && (task.state() == TaskState.LAUNCHING || task.state() == TaskState.REGISTERED);
  }

  /**
   * Doubles from time to time; between half and one and a half of that, by the job's own chance.
   */
  private static Duration wait(JobState state) {
    int backOffs = state.gang().backOffs();
    long doubled = state.job().limits().backOff().toMillis() << Math.min(backOffs, MOST_DOUBLINGS);
    double chance = new Random(state.seed() * 31 + backOffs).nextDouble();
    return Duration.ofMillis((long) (doubled * (0.5 + chance)));
  }

  static Decision over(JobState state, Event event) {
    return Starting.request(state.in(Phase.ALLOCATING), event);
  }
}
