package io.tony.am.machine;

import io.tony.model.JobEvent;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * How large containers are: what is asked for is what the log says, grows only after a task was
 * ended for its memory and never beyond what there is, and no gang starts in less.
 */
final class Sizes {
  private final JobSpec job;
  private final Map<String, Long> asked = new HashMap<>();
  private final Map<String, Long> containers = new HashMap<>();
  private Map<String, Long> before = Map.of();

  /** Containers, and the attempts that were to start in them. */
  private final Set<String> restarts = new HashSet<>();

  Sizes(JobSpec job) {
    this.job = job;
    job.roles().forEach(role -> asked.put(role.name(), role.resource().memoryMiB()));
  }

  void granted(Event.ContainerAllocated allocated) {
    containers.put(allocated.container(), allocated.memoryMiB());
  }

  void note(JobEvent fact) {
    boolean restart =
        fact.type() == JobEvent.Type.GANG_RESTARTED || fact.type() == JobEvent.Type.TASK_RESTARTED;
    if (!restart || fact.detail("memory").isEmpty()) {
      return;
    }
    RoleSpec role = job.role(fact.task().role());
    long memory = Long.parseLong(fact.detail("memory"));
    long most =
        role.memoryGrowth().maxMiB() == 0 ? SimulatedWorld.LARGEST : role.memoryGrowth().maxMiB();
    require(fact.detail("kind").equals("MEMORY"), "it grows for another reason: " + fact);
    require(role.memoryGrowth().isEnabled(), "it grows unasked: " + fact);
    require(memory > asked.get(role.name()), "it does not grow: " + fact);
    require(memory <= most, "it grows beyond " + most + ": " + fact);
    asked.put(role.name(), memory);
  }

  /** From now on a decision is looked at: in it a role may be asked for before it grows. */
  void begin() {
    before = Map.copyOf(asked);
  }

  void checkRequest(Action.RequestContainers request) {
    long memory = request.role().resource().memoryMiB();
    String role = request.role().name();
    require(
        memory == asked.get(role) || memory == before.get(role),
        "another size is asked for: " + request);
  }

  void checkLaunch(TaskKey key) {
    requireLarge(key);
  }

  /**
   * In the container that it has. What was decided before the role grew is told again as it was;
   * and what takes the place of another stays in what it has, as what stays in its place does.
   */
  void checkRestart(Action.RestartTask restart) {
    boolean moves = !restart.asTask().equals(restart.from().task());
    if (restarts.add(restart.from().container() + " " + restart.attempt()) && !moves) {
      requireLarge(restart.from());
    }
  }

  private void requireLarge(TaskKey key) {
    long memory = containers.get(key.container());
    require(
        memory >= asked.get(key.task().role()), key + " has " + memory + " MiB, less than asked");
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new AssertionError(message);
    }
  }
}
