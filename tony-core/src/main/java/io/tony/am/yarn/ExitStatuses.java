package io.tony.am.yarn;

import io.tony.model.FailureKind;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;
import org.apache.hadoop.yarn.api.records.ContainerStatus;

/**
 * What YARN's exit status of a container means for its task, when the task's executor said nothing
 * itself ({@link ContainerExitStatus} defines the negative ones).
 */
final class ExitStatuses {
  private ExitStatuses() {}

  static FailureKind kind(ContainerStatus status) {
    return switch (status.getExitStatus()) {
      case ContainerExitStatus.PREEMPTED -> FailureKind.PREEMPTED;
      case ContainerExitStatus.KILLED_EXCEEDED_PMEM, ContainerExitStatus.KILLED_EXCEEDED_VMEM ->
          FailureKind.MEMORY;
      default -> FailureKind.LOST;
    };
  }

  static String message(ContainerStatus status) {
    String what =
        switch (status.getExitStatus()) {
          case ContainerExitStatus.PREEMPTED -> "YARN preempted the container";
          case ContainerExitStatus.ABORTED -> "the container was released, or its node was lost";
          case ContainerExitStatus.DISKS_FAILED -> "the node's disks failed";
          case ContainerExitStatus.KILLED_EXCEEDED_PMEM ->
              "the container used more memory than it asked for; ask for more";
          case ContainerExitStatus.KILLED_EXCEEDED_VMEM ->
              "the container used more virtual memory than its node allows"
                  + " (yarn.nodemanager.vmem-pmem-ratio); ask for more";
          case 137 -> "the executor was killed (SIGKILL)";
          case 143 -> "the executor was ended (SIGTERM)";
          default -> "the container ended with status " + status.getExitStatus();
        };
    String diagnostics = status.getDiagnostics() == null ? "" : status.getDiagnostics().strip();
    return diagnostics.isEmpty() ? what : what + ": " + diagnostics;
  }
}
