package io.tony.am.machine;

import io.tony.model.EndPolicy.GroupTimeout;
import io.tony.model.JobLimits;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.List;

/**
 * Whatever the job waits for, and has a limit for, has its timer set: whatever happened before, and
 * whichever ApplicationMaster it is that waits. The timer of a cause does not outlive its wait.
 */
final class TimerInvariants {
  private final JobSpec job;
  private final SetTimers set = new SetTimers();

  TimerInvariants(JobSpec job) {
    this.job = job;
  }

  void check(Event event, Decision decision) {
    set.follow(event, decision.actions());
    check(decision.state());
  }

  private void check(JobState state) {
    if (state.gang().gangFailure().pendingFailures().isEmpty() && set.contains(Timer.CAUSE)) {
      throw new AssertionError("the timer of a cause is set, and none is waited for in " + state);
    }
    switch (state.phase()) {
      case STOPPING -> require(Timer.STOPPING, state);
      case FINISHED -> {}
      case NEW, ALLOCATING, BACKING_OFF, REGISTERING, RUNNING -> checkWaits(state);
    }
  }

  private void checkWaits(JobState state) {
    JobLimits limits = job.limits();
    boolean lacksContainers = state.phase() == Phase.BACKING_OFF || lacks(state) > 0;
    require(Timer.APPLICATION, state, limits.application(), true);
    require(Timer.ALLOCATION, state, limits.allocation(), lacksContainers);
    require(
        Timer.PARTIAL_ALLOCATION,
        state,
        limits.partialAllocation(),
        state.phase() == Phase.ALLOCATING);
    require(
        Timer.REGISTRATION,
        state,
        limits.registration(),
        state.tasks().count(TaskState.LAUNCHING) > 0);
    for (RoleSpec role : state.job().roles()) {
      boolean lacks = state.tasks().count(role.name(), TaskState.REQUESTED) > 0;
      if (role.isElastic() && lacks && state.phase() == Phase.ALLOCATING) {
        require(Timer.ELASTIC, state);
      }
      if (role.instances() < role.maxInstances() && state.phase() == Phase.RUNNING) {
        require(Timer.GROWTH, state);
      }
    }
    if (state.phase() == Phase.BACKING_OFF) {
      require(Timer.BACK_OFF, state);
    }
    if (!state.gang().gangFailure().pendingFailures().isEmpty()) {
      require(Timer.CAUSE, state);
    }
    List<GroupTimeout> rules = job.endPolicy().timeouts();
    for (int i = 0; i < rules.size(); i++) {
      GroupTimeout rule = rules.get(i);
      boolean over = rule.members().stream().allMatch(state::isRoleEnded);
      boolean awaited =
          !state.isRoleEnded(rule.role()) && !state.gang().excusedRoles().contains(rule.role());
      require(Timer.group(i), state, rule.limit(), over && awaited);
    }
  }

  /** How many containers are missing, but for those that tasks that have theirs do not need. */
  private static int lacks(JobState state) {
    boolean joining =
        state.phase() == Phase.RUNNING && state.job().limits().elasticity().liveResize();
    boolean runs = state.phase() == Phase.RUNNING || state.phase() == Phase.REGISTERING;
    return state.job().roles().stream()
        .filter(role -> !joining || !role.isElastic())
        .filter(role -> !runs || !state.isOptional(role))
        .mapToInt(role -> state.tasks().count(role.name(), TaskState.REQUESTED))
        .sum();
  }

  private void require(Timer timer, JobState state, Duration limit, boolean waits) {
    if (waits && !limit.isZero()) {
      require(timer, state);
    }
  }

  private void require(Timer timer, JobState state) {
    if (!set.contains(timer)) {
      throw new AssertionError("no timer " + timer + " is set in " + state);
    }
  }
}
