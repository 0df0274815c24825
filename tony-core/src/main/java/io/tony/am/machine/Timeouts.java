package io.tony.am.machine;

import io.tony.model.EndPolicy.GroupTimeout;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a passed limit of time says: which limit, which phase, what was still missing. */
final class Timeouts {
  private static final int NAMED = 5;

  private Timeouts() {}

  static String application(JobState state) {
    return "the job did not end within "
        + text(state.job().limits().application())
        + " (tony.application.timeout); it was "
        + state.phase();
  }

  static String allocation(JobState state) {
    String limit =
        "YARN did not give all containers within "
            + text(state.job().limits().allocation())
            + " (tony.container.allocation.timeout): ";
    if (state.phase() == Phase.BACKING_OFF) {
      return limit
          + "the gang gave back what it had, for the "
          + state.gang().backOffs()
          + ". time. Ask for less, or for another queue";
    }
    return limit
        + state.tasks().count(TaskState.REQUESTED)
        + " of "
        + state.tasks().size()
        + " are missing, for "
        + named(state, TaskState.REQUESTED)
        + scarce(state)
        + ". Ask for less, or for another queue";
  }

  private static String scarce(JobState state) {
    String scarce = Shortage.scarce(state);
    return scarce.isEmpty()
        ? ""
        : "; the queue has "
            + state.around().free()
            + " left, which is too little for one of them in "
            + scarce;
  }

  static String registration(JobState state) {
    return "not every executor registered within "
        + text(state.job().limits().registration())
        + " (tony.container.registration.timeout): "
        + named(state, TaskState.LAUNCHING)
        + " did not. Their logs say why";
  }

  static String group(JobState state, GroupTimeout rule) {
    int open = state.job().role(rule.role()).instances() - state.tasks().ended(rule.role());
    return open
        + (open == 1 ? " task of " : " tasks of ")
        + rule.role()
        + " did not end within "
        + text(rule.limit())
        + " after the group "
        + rule.group()
        + " (tony.application.dependency."
        + rule.role()
        + ".timeout.after."
        + rule.group()
        + ")";
  }

  private static String named(JobState state, TaskState wanted) {
    List<String> names = new ArrayList<>();
    for (Task task : state.tasks()) {
      if (task.state() == wanted && names.size() < NAMED) {
        names.add(task.id().toString());
      }
    }
    int others = state.tasks().count(wanted) - names.size();
    return String.join(", ", names) + (others > 0 ? " and " + others + " others" : "");
  }

  private static String text(Duration limit) {
    return limit.toMillis() % 1000 == 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
  }
}
