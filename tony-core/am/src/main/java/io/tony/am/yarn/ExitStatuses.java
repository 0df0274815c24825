package io.tony.am.yarn;

import io.tony.am.scheduler.ExitCodes;
import io.tony.model.FailureKind;
import io.tony.model.TaskId;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.jspecify.annotations.Nullable;

/**
 * Determines what YARN's exit status of a container means for its task, if the task's executor has
 * reported nothing itself. {@link ContainerExitStatus} defines the negative exit statuses.
 */
final class ExitStatuses {
  /**
   * Matches diagnostics of a container that exceeded its memory limit on a NodeManager that limits
   * memory by cgroups. There is no exit status for this: an OOM killer, the kernel's or the
   * NodeManager's, ends the container with SIGKILL, and only the diagnostics may contain the
   * reason.
   */
  private static final Pattern OUT_OF_MEMORY =
      Pattern.compile("\\boom\\b|oom[-_ ]?kill|out of memory", Pattern.CASE_INSENSITIVE);

  /**
   * Diagnostics that the ResourceManager sets (its SchedulerUtils.COMPLETED_APPLICATION) for
   * containers that it ends after the loss of their ApplicationMaster, because no node has reported
   * them as running yet. This can happen up to one heartbeat of the node after a container was
   * allocated. Running containers stay.
   */
  private static final String COMPLETED_APPLICATION = "Container of a completed application";

  private ExitStatuses() {}

  static FailureKind kind(ContainerStatus status) {
    return switch (status.getExitStatus()) {
      case ContainerExitStatus.ABORTED ->
          isLostWithMaster(status) ? FailureKind.AM_LOST : FailureKind.LOST;
      case ContainerExitStatus.PREEMPTED -> FailureKind.PREEMPTED;
      case ContainerExitStatus.KILLED_EXCEEDED_PMEM, ContainerExitStatus.KILLED_EXCEEDED_VMEM ->
          FailureKind.MEMORY;
      case ExitCodes.SIGKILL -> isOutOfMemory(status) ? FailureKind.MEMORY : FailureKind.LOST;
      default -> FailureKind.LOST;
    };
  }

  /**
   * Returns the message about the container's end.
   *
   * @param task task in the container, for a message about its memory; null for a container that
   *     ran no task
   * @param memoryKey key of the option that sets the container's memory
   */
  static String message(ContainerStatus status, @Nullable TaskId task, String memoryKey) {
    if (kind(status) == FailureKind.MEMORY) {
      boolean virtual = status.getExitStatus() == ContainerExitStatus.KILLED_EXCEEDED_VMEM;
      return MemoryUse.of(diagnostics(status))
          .map(use -> use.message(task, memoryKey, virtual))
          .orElseGet(() -> messageWithoutUsage(status, task, memoryKey, virtual));
    }
    if (kind(status) == FailureKind.AM_LOST) {
      return "the ApplicationMaster was lost, and YARN ended the container with it: its node had not"
          + " reported yet that it ran";
    }
    String what =
        switch (status.getExitStatus()) {
          case ContainerExitStatus.PREEMPTED -> "YARN preempted the container";
          case ContainerExitStatus.ABORTED -> "the container was released, or its node was lost";
          case ContainerExitStatus.DISKS_FAILED -> "the node's disks failed";
          default -> ExitCodes.message(status.getExitStatus());
        };
    String diagnostics = diagnostics(status);
    return diagnostics.isEmpty() ? what : what + ": " + diagnostics;
  }

  private static String messageWithoutUsage(
      ContainerStatus status, @Nullable TaskId task, String memoryKey, boolean virtual) {
    return task
        + " used more "
        + (virtual ? "virtual memory than its node allows" : "memory than its container has")
        + "; set a larger "
        + memoryKey
        + ": "
        + diagnostics(status);
  }

  private static boolean isLostWithMaster(ContainerStatus status) {
    return diagnostics(status).equals(COMPLETED_APPLICATION);
  }

  private static boolean isOutOfMemory(ContainerStatus status) {
    return OUT_OF_MEMORY.matcher(diagnostics(status)).find();
  }

  /** Returns YARN's diagnostics of the container; empty if there are none. */
  static String diagnostics(ContainerStatus status) {
    return status.getDiagnostics() == null ? "" : status.getDiagnostics().strip();
  }
}
