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
 * Passes expired timers to their handlers. Composes the messages about exceeded time limits: which
 * limit, in which phase, and what was missing.
 */
final class Timeouts {
  private static final int MAX_NAMED_TASKS = 5;

  private Timeouts() {}

  static void fired(DecisionBuilder decision, TimerFired event) {
    JobState state = decision.state();
    switch (event.timer().kind()) {
      // This timer is set only while the job stops.
      case STOPPING -> {}
      case APPLICATION -> endJob(decision, applicationMessage(state));
      case ALLOCATION -> {
        if (WaitLimits.isAllocationDue(decision)
            && !ElasticPolicy.tryShrink(decision, "YARN did not give more")) {
          endJob(decision, allocationMessage(state));
        }
      }
      case REGISTRATION -> WaitLimits.registrationExpired(decision);
      case NOTICE -> ContainerShortage.recordShortage(decision);
      case PARTIAL_ALLOCATION -> AllocationBackoff.partialAllocationExpired(decision);
      case BACK_OFF -> {
        if (state.phase() == Phase.BACKING_OFF) {
          GangStart.requestAfterBackoff(decision);
        }
      }
      case ELASTIC -> ElasticPolicy.waitExpired(decision);
      case GROWTH -> ElasticScaleUp.growthTimerFired(decision);
      case CAUSE -> PendingFailures.waitExpired(decision);
      case GROUP -> TaskCompletion.groupTimedOut(decision, event.timer().index());
    }
  }

  static void firedWhileStopping(DecisionBuilder decision, TimerFired event) {
    switch (event.timer().kind()) {
      case STOPPING -> JobShutdown.stopContainers(decision);
      // These timers expired at the moment at which the job began to stop, and have no effect any
      // more.
      case APPLICATION,
          ALLOCATION,
          REGISTRATION,
          NOTICE,
          PARTIAL_ALLOCATION,
          ELASTIC,
          GROWTH,
          BACK_OFF,
          CAUSE,
          GROUP -> {}
    }
  }

  static void endJob(DecisionBuilder decision, String message) {
    JobShutdown.beginUnlessStopping(
        decision, JobResult.failed(FailureKind.TIMEOUT, message), message);
  }

  static String applicationMessage(JobState state) {
    return "the job did not end within "
        + formatDuration(state.job().limits().application())
        + " (tony.application.timeout); it was "
        + state.phase()
        + missingText(state);
  }

  private static String missingText(JobState state) {
    return switch (state.phase()) {
      case ALLOCATING ->
          clause(taskNames(state, TaskState.REQUESTED), " had no container") + scarceText(state);
      case BACKING_OFF -> "; " + backoffText(state);
      case REGISTERING -> clause(taskNames(state, TaskState.LAUNCHING), " had not registered");
      case RUNNING -> clause(taskNames(state, state::awaits), " had not ended");
      case NEW, STOPPING, FINISHED -> "";
    };
  }

  private static String clause(String names, String lack) {
    return names.isEmpty() ? "" : "; " + names + lack;
  }

  static String allocationMessage(JobState state) {
    String limit =
        "YARN did not give all containers within "
            + formatDuration(state.job().limits().allocation())
            + " (tony.container.allocation.timeout): ";
    if (state.phase() == Phase.BACKING_OFF) {
      return limit + backoffText(state) + ". Ask for less, or for another queue";
    }
    return limit
        + state.tasks().count(TaskState.REQUESTED)
        + " of "
        + state.tasks().size()
        + " are missing, for "
        + taskNames(state, TaskState.REQUESTED)
        + scarceText(state)
        + ". Ask for less, or for another queue";
  }

  private static String backoffText(JobState state) {
    return "the gang gave back what it had, for the "
        + state.gang().backoffCount()
        + ". time, and waited to ask again for "
        + ContainerShortage.text(ContainerShortage.missingContainers(state))
        + scarceText(state);
  }

  private static String scarceText(JobState state) {
    ResourceSpec free = state.clusterView().free();
    if (free == null) {
      return "";
    }
    String scarce = ContainerShortage.scarceResources(state);
    return "; the queue has "
        + free
        + " left, which is "
        + (scarce.isEmpty()
            ? "enough in sum for one of them, but perhaps not on any single node"
            : "too little for one of them in " + scarce);
  }

  static String registrationMessage(JobState state, List<Task> late) {
    return "not every executor registered within "
        + formatDuration(state.job().limits().registration())
        + " (tony.container.registration.timeout): "
        + taskNames(state, late::contains)
        + " did not. Their logs say why";
  }

  static String groupMessage(JobState state, GroupTimeout rule) {
    int open = state.job().role(rule.role()).instances() - state.tasks().endedCount(rule.role());
    return open
        + (open == 1 ? " task of " : " tasks of ")
        + rule.role()
        + " did not end within "
        + formatDuration(rule.limit())
        + " after the group "
        + rule.group()
        + " (tony.application.dependency."
        + rule.role()
        + ".timeout.after."
        + rule.group()
        + ")";
  }

  private static String taskNames(JobState state, TaskState filter) {
    return taskNames(state, task -> task.state() == filter);
  }

  private static String taskNames(JobState state, Predicate<Task> filter) {
    List<String> names =
        state.tasks().stream().filter(filter).map(task -> task.id().toString()).toList();
    int others = Math.max(0, names.size() - MAX_NAMED_TASKS);
    return String.join(", ", names.subList(0, names.size() - others))
        + (others == 0 ? "" : " and " + others + (others == 1 ? " other" : " others"));
  }

  private static String formatDuration(Duration limit) {
    return limit.toMillis() % 1000 == 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
  }
}
