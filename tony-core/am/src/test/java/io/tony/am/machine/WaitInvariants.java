package io.tony.am.machine;

import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Whatever a job waits for can come, and is waited for so long as is said, and no longer. */
final class WaitInvariants {
  /** Timers run out a little later than they are due, and are set a little earlier. */
  private static final long ABOUT = 1_000;

  /** Each of the ApplicationMasters waits from its own beginning. */
  private static final int MASTERS = 4;

  private static final long LONG = 600_000;

  private final JobSpec job;
  private final SimulatedWorld world;

  /** By task, when it began to be waited for in the container that it has. */
  private final Map<TaskId, Long> launching = new HashMap<>();

  WaitInvariants(JobSpec job, SimulatedWorld world) {
    this.job = job;
    this.world = world;
  }

  /** {@code now} is in milliseconds of a clock that nobody sets. */
  void check(JobState before, Event event, Decision decision, long now) {
    JobState state = decision.state();
    checkLimits(before, event, decision, now);
    note(before, state, now);
    if (state.phase() == Phase.RUNNING) {
      checkRunning(state);
    }
    if (state.phase() == Phase.ALLOCATING || state.phase() == Phase.REGISTERING) {
      checkStart(state);
    }
    if (state.phase() != Phase.STOPPING && state.phase() != Phase.FINISHED) {
      checkDone(state);
    }
    checkBounded(state, now);
  }

  /** What is waited for from now on, once that is recorded. */
  void note(JobState before, JobState state, long now) {
    for (Task task : state.tasks()) {
      Task was = before.tasks().contains(task.id()) ? before.tasks().get(task.id()) : null;
      boolean same = was != null && was.state() == task.state() && was.attempt() == task.attempt();
      if (!same) {
        launching.remove(task.id());
        if (task.state() == TaskState.LAUNCHING) {
          launching.put(task.id(), now);
        }
      }
    }
    launching.keySet().removeIf(task -> !state.tasks().contains(task));
  }

  // ---- What is waited for ----

  private static void checkStart(JobState state) {
    TaskState missing =
        state.phase() == Phase.ALLOCATING ? TaskState.REQUESTED : TaskState.LAUNCHING;
    Rule.A_START_WAITS_FOR_ITS_OWN.require(
        state.tasks().stream().anyMatch(task -> task.state() == missing && !task.alone()),
        () -> "none of it is " + missing + ": " + state);
  }

  private void checkRunning(JobState state) {
    Rule.RUNNING_WAITS_FOR_SOMETHING.require(
        state.openTaskCount() > 0, () -> "nothing is open: " + state);
    for (RoleSpec role : state.job().roles()) {
      if (state.tasks().count(role.name(), TaskState.WAITING) == 0) {
        continue;
      }
      boolean reason =
          role.dependsOn().stream()
              .anyMatch(
                  other ->
                      !state.isRoleEnded(other) && !state.gang().excusedRoles().contains(other));
      Rule.WAITING_HAS_A_REASON.require(
          reason, () -> role.name() + " waits for nobody that counts: " + state);
    }
    boolean quiet = state.tasks().stream().noneMatch(task -> Charges.isMissed(state, task));
    boolean empty =
        state.gang().charges().isEmpty()
            && state.tasks().stream().allMatch(task -> task.losses().isEmpty());
    Rule.BOOKS_ARE_EMPTY.require(!quiet || empty, () -> "all are there: " + state.gang());
  }

  /** A role that others wait for, and that were asked for upon its end, has ended. */
  private void checkDone(JobState state) {
    for (RoleSpec role : state.job().roles()) {
      boolean asked = state.tasks().count(role.name(), TaskState.WAITING) < role.instances();
      for (String other : asked ? role.dependsOn() : Set.<String>of()) {
        boolean done = state.isRoleEnded(other) || state.gang().excusedRoles().contains(other);
        Rule.DONE_STAYS_DONE.require(
            done, () -> role.name() + " is asked for beside " + other + ": " + state);
      }
    }
  }

  // ---- For how long ----

  /** Of a wait in which somebody sets the clock, nobody knows how long it was. */
  private void checkLimits(JobState before, Event event, Decision decision, long now) {
    if (!(event instanceof Event.TimerFired fired) || world.isClockSet()) {
      return;
    }
    if (fired.timer().equals(Timer.REGISTRATION)) {
      long limit = job.limits().registration().toMillis();
      for (JobEvent fact : decision.facts()) {
        boolean one =
            fact.type() == JobEvent.Type.TASK_FAILED
                && fact.detail("message").contains("did not register within");
        if (one) {
          requireWaited(Set.of(fact.task()), launching, limit, now);
        }
      }
      if (ends(decision)) {
        requireWaited(launching.keySet(), launching, limit, now);
        requireNeeded(before, TaskState.LAUNCHING);
      }
    } else if (fired.timer().equals(Timer.ALLOCATION) && ends(decision)) {
      if (before.phase() != Phase.BACKING_OFF) {
        requireNeeded(before, TaskState.REQUESTED);
      }
    }
  }

  private static boolean ends(Decision decision) {
    return decision.facts().stream()
        .anyMatch(
            fact ->
                fact.type() == JobEvent.Type.JOB_STOPPING
                    && fact.detail("kind").equals(FailureKind.TIMEOUT.name()));
  }

  private static void requireWaited(
      Set<TaskId> tasks, Map<TaskId, Long> since, long limit, long now) {
    long longest =
        tasks.stream().mapToLong(task -> now - since.getOrDefault(task, now)).max().orElse(0);
    Rule.A_LIMIT_COUNTS_FROM_ITS_WAIT.require(
        longest + ABOUT >= limit,
        () -> tasks + " are given up after " + longest + " of " + limit + " ms");
  }

  /** While the programs of others run, somebody needs one of those that the job ends for. */
  private static void requireNeeded(JobState before, TaskState state) {
    if (before.phase() != Phase.RUNNING) {
      return;
    }
    List<Task> missing = before.tasks().stream().filter(one -> one.state() == state).toList();
    Rule.NO_SIDECAR_DECIDES.require(
        missing.stream().anyMatch(task -> isNeeded(before, task)),
        () -> "the job ends for want of " + missing);
  }

  static boolean isNeeded(JobState state, Task task) {
    return state.role(task).supervision() != Supervision.SIDECAR
        && !state.gang().excusedRoles().contains(task.id().role());
  }

  private void checkBounded(JobState state, long now) {
    long limit = job.limits().registration().toMillis();
    boolean alive =
        limit > 0 && (state.phase() == Phase.RUNNING || state.phase() == Phase.REGISTERING);
    if (alive) {
      launching.forEach(
          (task, since) ->
              Rule.REGISTRATION_IS_BOUNDED.require(
                  now - since <= MASTERS * limit + LONG,
                  () -> task + " is waited for since " + (now - since) + " ms"));
    }
  }
}
