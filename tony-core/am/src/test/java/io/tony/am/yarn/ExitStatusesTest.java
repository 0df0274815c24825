package io.tony.am.yarn;

import static org.junit.Assert.assertEquals;

import io.tony.model.FailureKind;
import io.tony.model.TaskId;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.junit.Test;

public class ExitStatusesTest {
  private static final TaskId WORKER = new TaskId("worker", 0);

  private static ContainerStatus ended(int status, String diagnostics) {
    return ContainerStatus.newInstance(
        ContainerId.fromString("container_1700000000000_0001_01_000002"),
        ContainerState.COMPLETE,
        diagnostics,
        status);
  }

  private static String message(int status, String diagnostics) {
    return ExitStatuses.message(ended(status, diagnostics), WORKER, "tony.worker.memory");
  }

  private static String usage(String physical, String virtual) {
    return "[2026-11-21 12:00:00.000]Container [pid=77,containerID=container_1_0001_01_000002] is"
        + " running 1B beyond the 'PHYSICAL' memory limit. Current usage: "
        + physical
        + " physical memory used; "
        + virtual
        + " virtual memory used. Killing container.\nDump of the process-tree for container_1 :\n"
        + "\t|- PID PPID CMD_LINE\n\t|- 77 1 bash -c secret";
  }

  @Test
  public void shouldTellThePeakUseAndTheSizeToAskFor() {
    ContainerStatus status =
        ended(
            ContainerExitStatus.KILLED_EXCEEDED_PMEM, usage("310.2 MB of 256 MB", "3 GB of 1 GB"));

    assertEquals(FailureKind.MEMORY, ExitStatuses.kind(status));
    assertEquals(
        "worker:0 used 310 MiB of its 256 MiB; set tony.worker.memory=512m",
        ExitStatuses.message(status, WORKER, "tony.worker.memory"));
  }

  @Test
  public void shouldAdviseSizesThatPeopleWouldWrite() {
    int pmem = ContainerExitStatus.KILLED_EXCEEDED_PMEM;
    String advice = "worker:0 used 2150 MiB of its 2048 MiB; set tony.worker.memory=3g";
    assertEquals(advice, message(pmem, usage("2.1 GB of 2 GB", "5 GB of 4.2 GB")));
    assertEquals(advice, message(pmem, usage("2,1GB of 2GB", "5GB of 4,2GB")));
    assertEquals(
        "worker:0 used 4147 MiB of its 4096 MiB; set tony.worker.memory=5632m",
        message(pmem, usage("4.05 GB of 4 GB", "5 GB of 8.4 GB")));
    assertEquals(
        "worker:0 used 66560 MiB of its 65536 MiB; set tony.worker.memory=82g",
        message(pmem, usage("65 GB of 64 GB", "70 GB of 134.4 GB")));
    assertEquals(
        "worker:0 used 1024 MiB of its 1 MiB; set tony.worker.memory=1536m",
        message(pmem, usage("1 GB of 1048576 B", "70 GB of 134.4 GB")));
  }

  @Test
  public void shouldTranslateVirtualMemoryIntoWhatIsAskedFor() {
    assertEquals(
        "worker:0 used 5120 MiB of the 4301 MiB of virtual memory that its node allows it; set"
            + " tony.worker.memory=3g, or ask the administrator for a larger"
            + " yarn.nodemanager.vmem-pmem-ratio",
        message(
            ContainerExitStatus.KILLED_EXCEEDED_VMEM, usage("1.5 GB of 2 GB", "5 GB of 4.2 GB")));
  }

  @Test
  public void shouldSeeTheOomKillersOfCgroups() {
    for (String told :
        new String[] {
          "container x killed by elastic cgroups OOM handler.",
          "Exit code from docker: 137, OOM-killed",
          "memory cgroup out of memory: killed process 7"
        }) {
      ContainerStatus status = ended(137, told);
      assertEquals(FailureKind.MEMORY, ExitStatuses.kind(status));
      assertEquals(
          "worker:0 used more memory than its container has; set a larger tony.worker.memory: "
              + told,
          ExitStatuses.message(status, WORKER, "tony.worker.memory"));
    }
    assertEquals(
        FailureKind.LOST, ExitStatuses.kind(ended(137, "Container killed on request in room 5")));
    assertEquals(FailureKind.LOST, ExitStatuses.kind(ended(1, "out of memory, says somebody")));
  }

  @Test
  public void shouldTellAContainerThatWentWithItsMasterFromALostOne() {
    int aborted = ContainerExitStatus.ABORTED;
    String withMaster = "Container of a completed application";
    assertEquals(FailureKind.AM_LOST, ExitStatuses.kind(ended(aborted, withMaster)));
    assertEquals(
        "the ApplicationMaster was lost, and YARN ended the container with it: its node had not"
            + " reported yet that it ran",
        message(aborted, withMaster));
    String withNode = "Container released on a *lost* node";
    assertEquals(FailureKind.LOST, ExitStatuses.kind(ended(aborted, withNode)));
    assertEquals(
        "the container was released, or its node was lost: " + withNode,
        message(aborted, withNode));
  }

  @Test
  public void shouldSayWhatBecameOfTheContainer() {
    assertEquals(
        FailureKind.PREEMPTED,
        ExitStatuses.kind(ended(ContainerExitStatus.PREEMPTED, "preempted")));
    assertEquals(
        "YARN preempted the container: by root.prod",
        message(ContainerExitStatus.PREEMPTED, "by root.prod"));
    assertEquals("the executor was killed (SIGKILL)", message(137, ""));
    assertEquals("the container ended with status 9", message(9, " "));
  }
}
