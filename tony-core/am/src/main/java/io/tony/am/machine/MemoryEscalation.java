package io.tony.am.machine;

import io.tony.model.FailureKind;
import io.tony.model.MemoryGrowth;
import io.tony.model.RoleSpec;
import org.jspecify.annotations.Nullable;

/**
 * How the memory of a role's containers changes when a task restarts after a failure. If the task
 * was killed for its memory use, larger containers are requested, within the limits of the role and
 * the cluster.
 *
 * @param memoryMiB new memory of the role's containers in MiB; null if unchanged
 * @param increasesMemory true if the task was killed for its memory use and restarts with more
 *     memory
 * @param message why the task failed, and how its memory changes, for people
 */
record MemoryEscalation(@Nullable Long memoryMiB, boolean increasesMemory, String message) {

  /**
   * Returns the memory for a restart after this failure.
   *
   * @param task the task in its state at the failure
   */
  static MemoryEscalation after(JobState state, Task task, TaskFailure failure) {
    RoleSpec role = state.role(task);
    if (failure.kind() != FailureKind.MEMORY || !role.memoryGrowth().isEnabled()) {
      return new MemoryEscalation(null, false, failure.message());
    }
    String ended = failure.message() + "; " + role.name() + " was ended for its memory";
    if (!fits(state, task)) {
      // The role's memory has already been increased, after the failure of another task of the
      // role. This task restarts with that memory, without another increase.
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

  /** Returns the maximum memory of a container of the role, in MiB; 0 if no limit is known. */
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

  /** Returns true if the task's container has at least the memory that the role now requests. */
  static boolean fits(JobState state, Task task) {
    return task.memoryMiB() >= state.role(task).resource().memoryMiB();
  }

  /**
   * Returns a copy of the state in which the role requests this memory, in MiB; the state itself if
   * {@code nextMiB} is null.
   */
  static JobState applied(JobState state, String role, @Nullable Long nextMiB) {
    return nextMiB == null ? state : state.withMemory(role, nextMiB);
  }

  /**
   * Returns a copy of the state in which the role of the task requests {@code memoryMiB}, if that
   * is not null.
   */
  JobState applied(JobState state, Task task) {
    return applied(state, task.id().role(), memoryMiB);
  }
}
