package io.tony.am.machine;

import io.tony.model.FailureKind;
import io.tony.model.MemoryGrowth;
import io.tony.model.RoleSpec;

/**
 * What becomes of the containers of a role when a task of it is started again: where the task was
 * ended for its memory, larger ones are asked for, as far as the role and the cluster allow.
 *
 * @param memoryMiB in MiB of the role's containers from now on; null where that stays as it was
 * @param increasesMemory whether the task, which was ended for its memory, has more of it from now
 *     on
 * @param message why the task failed, and what follows for its memory
 */
record MemoryEscalation(Long memoryMiB, boolean increasesMemory, String message) {

  /** {@code task} is as it was when it failed. */
  static MemoryEscalation after(JobState state, Task task, TaskFailure failure) {
    RoleSpec role = state.role(task);
    if (failure.kind() != FailureKind.MEMORY || !role.memoryGrowth().isEnabled()) {
      return new MemoryEscalation(null, false, failure.message());
    }
    String ended = failure.message() + "; " + role.name() + " was ended for its memory";
    if (!fits(state, task)) {
      // Another task of the role was ended for its memory before.
      return new MemoryEscalation(
          null,
          true,
          ended
              + atMemory(task)
              + "; it starts again with "
              + role.resource().memoryMiB()
              + " MiB");
    }
    long maxMiB = maxMemoryMiB(state, role.memoryGrowth());
    long nextMiB =
        Math.min((long) Math.ceil(task.memoryMiB() * role.memoryGrowth().factor()), maxMiB);
    if (nextMiB <= task.memoryMiB()) {
      return new MemoryEscalation(
          null, false, ended + atMemory(task) + ", and gets no more: " + limitText(role, maxMiB));
    }
    return new MemoryEscalation(
        nextMiB, true, ended + atMemory(task) + "; it starts again with " + nextMiB + " MiB");
  }

  private static String atMemory(Task task) {
    return " at " + task.memoryMiB() + " MiB";
  }

  /** 0 where nobody says. */
  private static long maxMemoryMiB(JobState state, MemoryGrowth growth) {
    long clusterMaxMiB = state.clusterView().maxContainerMiB();
    long roleMaxMiB = growth.maxMiB();
    return clusterMaxMiB == 0
        ? roleMaxMiB
        : roleMaxMiB == 0 ? clusterMaxMiB : Math.min(roleMaxMiB, clusterMaxMiB);
  }

  private static String limitText(RoleSpec role, long maxMiB) {
    if (maxMiB == 0) {
      return "YARN has not said how large a container may be";
    }
    return maxMiB == role.memoryGrowth().maxMiB()
        ? "the limit is " + maxMiB + " MiB (tony." + role.name() + ".max-memory)"
        : "the cluster's largest container has " + maxMiB + " MiB";
  }

  /** Whether the container that the task has is as large as its role now asks for. */
  static boolean fits(JobState state, Task task) {
    return task.memoryMiB() >= state.role(task).resource().memoryMiB();
  }

  /** The state in which containers of the role are asked for in the new size. */
  static JobState applied(JobState state, String role, Long nextMiB) {
    return nextMiB == null ? state : state.withMemory(role, nextMiB);
  }

  /** The same, for the decision that leads to it. */
  JobState applied(JobState state, Task task) {
    return applied(state, task.id().role(), memoryMiB);
  }
}
