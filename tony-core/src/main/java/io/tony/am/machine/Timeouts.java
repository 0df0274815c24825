package io.tony.am.machine;

import io.tony.am.machine.Event.TimerFired;
import io.tony.model.EndPolicy.GroupTimeout;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.ResourceSpec;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/**
 * What follows when a timer has run out, and what a passed limit of time says: which limit, which
 * phase, what was still missing.
 */
final class Timeouts {
  private static final int NAMED = 5;

  private Timeouts() {}

  static void fired(Draft draft, TimerFired event) {
    JobState state = draft.state();
    switch (event.timer().kind()) {
      case STOPPING -> {} // it crossed the end of an earlier stop
      case APPLICATION -> end(draft, application(state));
      case ALLOCATION -> {
        if (WaitLimits.isContainerDue(draft) && !Elastic.settle(draft, "YARN did not give more")) {
          end(draft, allocation(state));
        }
      }
      case REGISTRATION -> WaitLimits.passed(draft);
      case NOTICE -> Shortage.notice(draft);
      case HOLD -> BackingOff.holdPassed(draft);
      case BACK_OFF -> {
        if (state.phase() == Phase.BACKING_OFF) {
          Starting.requestAgain(draft);
        }
      }
      case ELASTIC -> Elastic.waited(draft);
      case GROWTH -> Growing.goOn(draft);
      case CAUSE -> PendingFailures.expired(draft);
      case GROUP -> Outcomes.groupTimedOut(draft, event.timer().index());
    }
  }

  static void firedWhileStopping(Draft draft, TimerFired event) {
    switch (event.timer().kind()) {
      case STOPPING -> Stopping.force(draft);
      // The job ends already; these cross its end.
      case APPLICATION,
          ALLOCATION,
          REGISTRATION,
          NOTICE,
          HOLD,
          ELASTIC,
          GROWTH,
          BACK_OFF,
          CAUSE,
          GROUP -> {}
    }
  }

  static void end(Draft draft, String message) {
    Stopping.end(draft, JobResult.failed(FailureKind.TIMEOUT, message), message);
  }

  static String application(JobState state) {
    return "the job did not end within "
        + text(state.job().limits().application())
        + " (tony.application.timeout); it was "
        + state.phase()
        + missing(state);
  }

  private static String missing(JobState state) {
    return switch (state.phase()) {
      case ALLOCATING ->
          told(named(state, TaskState.REQUESTED), " had no container") + scarce(state);
      case BACKING_OFF -> "; " + gaveBack(state);
      case REGISTERING -> told(named(state, TaskState.LAUNCHING), " had not registered");
      case RUNNING -> told(named(state, state::awaits), " had not ended");
      case NEW, STOPPING, FINISHED -> "";
    };
  }

  private static String told(String names, String lack) {
    return names.isEmpty() ? "" : "; " + names + lack;
  }

  static String allocation(JobState state) {
    String limit =
        "YARN did not give all containers within "
            + text(state.job().limits().allocation())
            + " (tony.container.allocation.timeout): ";
    if (state.phase() == Phase.BACKING_OFF) {
      return limit + gaveBack(state) + ". Ask for less, or for another queue";
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

  private static String gaveBack(JobState state) {
    return "the gang gave back what it had, for the "
        + state.gang().backOffs()
        + ". time, and waited to ask again for "
        + Shortage.text(Shortage.missing(state))
        + scarce(state);
  }

  private static String scarce(JobState state) {
    ResourceSpec free = state.clusterView().free();
    if (free == null) {
      return "";
    }
    String scarce = Shortage.scarce(state);
    return "; the queue has "
        + free
        + " left, which is "
        + (scarce.isEmpty()
            ? "enough in sum for one of them, but perhaps not on any single node"
            : "too little for one of them in " + scarce);
  }

  static String registration(JobState state, List<Task> late) {
    return "not every executor registered within "
        + text(state.job().limits().registration())
        + " (tony.container.registration.timeout): "
        + named(state, late::contains)
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
    return named(state, task -> task.state() == wanted);
  }

  private static String named(JobState state, Predicate<Task> wanted) {
    List<String> names =
        state.tasks().stream().filter(wanted).map(task -> task.id().toString()).toList();
    int others = Math.max(0, names.size() - NAMED);
    return String.join(", ", names.subList(0, names.size() - others))
        + (others == 0 ? "" : " and " + others + (others == 1 ? " other" : " others"));
  }

  private static String text(Duration limit) {
    return limit.toMillis() % 1000 == 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
  }
}
