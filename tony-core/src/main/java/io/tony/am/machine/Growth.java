package io.tony.am.machine;

import io.tony.model.FailureKind;
import io.tony.model.MemoryGrowth;
import io.tony.model.RoleSpec;

/**
 * What becomes of the containers of a role when a task of it is started again: where the task was
 * ended for its memory, larger ones are asked for, as far as the role and the cluster allow.
 *
 * @param memory in MiB of the role's containers from now on; null where that stays as it was
 * @param helps whether the task, which was ended for its memory, has more of it from now on
 * @param message why the task failed, and what follows for its memory
 */
record Growth(Long memory, boolean helps, String message) {

  /** {@code task} is as it was when it failed. */
  static Growth after(JobState state, Task task, TaskFailure failure) {
    RoleSpec role = state.role(task);
    if (failure.kind() != FailureKind.MEMORY || !role.growth().isWanted()) {
      return new Growth(null, false, failure.message());
    }
    String ended = failure.message() + "; " + role.name() + " was ended for its memory";
    if (!fits(state, task)) {
      // Another task of the role was ended for its memory before.
      return new Growth(
          null,
          true,
          ended + at(task) + "; it starts again with " + role.resource().memoryMiB() + " MiB");
    }
    long most = most(state, role.growth());
    long next = Math.min((long) Math.ceil(task.memoryMiB() * role.growth().factor()), most);
    if (next <= task.memoryMiB()) {
      return new Growth(null, false, ended + at(task) + ", and gets no more: " + limit(role, most));
    }
    return new Growth(next, true, ended + at(task) + "; it starts again with " + next + " MiB");
  }

  private static String at(Task task) {
    return " at " + task.memoryMiB() + " MiB";
  }

  /** 0 where nobody says. */
  private static long most(JobState state, MemoryGrowth growth) {
    long largest = state.clusterView().largest();
    long own = growth.mostMiB();
    return largest == 0 ? own : own == 0 ? largest : Math.min(own, largest);
  }

  private static String limit(RoleSpec role, long most) {
    if (most == 0) {
      return "YARN has not said how large a container may be";
    }
    return most == role.growth().mostMiB()
        ? "the limit is " + most + " MiB (tony." + role.name() + ".max-memory)"
        : "the cluster's largest container has " + most + " MiB";
  }

  /** Whether the container that the task has is as large as its role now asks for. */
  static boolean fits(JobState state, Task task) {
    return task.memoryMiB() >= state.role(task).resource().memoryMiB();
  }

  /** The state in which containers of the role are asked for in the new size. */
  static JobState applied(JobState state, String role, Long memory) {
    return memory == null ? state : state.withMemory(role, memory);
  }

  /** The same, for the decision that leads to it. */
  JobState applied(JobState state, Task task) {
    return applied(state, task.id().role(), memory);
  }
}
