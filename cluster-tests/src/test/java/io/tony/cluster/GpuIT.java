package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * GPUs without a GPU: YARN's own plugin on two nodes with two hand-listed devices each, and a
 * stand-in for nvidia-smi. The scheduling is real. Placement constraints are handled by YARN's
 * placement processor here, which answers otherwise than the scheduler.
 */
public class GpuIT {
  private static final String GPU = "yarn.io/gpu";
  private static final String PLUGIN = "yarn.nodemanager.resource-plugins";

  private static final Path NVIDIA_SMI =
      Path.of("../src-test-resources/gpu/nvidia-smi").toAbsolutePath().normalize();

  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster(
          "mini-gpu",
          "--node-heartbeat-ms",
          "200",
          "--set",
          "yarn.resourcemanager.placement-constraints.handler=placement-processor",
          "--set",
          "yarn.resource-types=" + GPU,
          "--set",
          PLUGIN + "=" + GPU,
          "--set",
          PLUGIN + ".gpu.allowed-gpu-devices=0:0,1:1",
          "--set",
          PLUGIN + ".gpu.path-to-discovery-executables=" + NVIDIA_SMI);

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(cluster);

  private TonyCommand submit(String... arguments) throws Exception {
    return cluster.submit(folder.getRoot().toPath(), arguments);
  }

  /** A program that runs until the test has looked at it. */
  private String untilSeen() {
    return "while [ ! -e " + folder.getRoot() + "/seen ]; do sleep 0.1; done";
  }

  private void seen() throws Exception {
    Files.createFile(folder.getRoot().toPath().resolve("seen"));
  }

  @Test
  public void shouldGiveEachTaskItsGpus() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", untilSeen(),
            "-conf", "tony.worker.instances=2",
            "-conf", "tony.worker.gpus=1")) {
      tony.await("2/2 tasks running");
      assertEquals(Long.valueOf(2), cluster.used(tony.application()).get(GPU));
      seen();
      tony.assertExit(0);
      assertEquals(2, cluster.events(tony.application(), JobEvent.Type.TASK_SUCCEEDED).size());
      assertTrue(
          cluster
              .events(tony.application(), JobEvent.Type.GANG_REQUESTED)
              .get(0)
              .detail("resources"),
          cluster
              .events(tony.application(), JobEvent.Type.GANG_REQUESTED)
              .get(0)
              .detail("resources")
              .contains("1 " + GPU));
    }
  }

  @Test
  public void shouldTellWhatTheGpusOfATaskAreUsedFor() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes",
            untilSeen(),
            "-conf",
            "tony.worker.instances=1",
            "-conf",
            "tony.worker.gpus=2",
            "-conf",
            "tony.task.metrics-interval-ms=1000",
            "-conf",
            "tony.gpu-exec-path=" + NVIDIA_SMI,
            "-events")) {
      tony.await("\"METRICS\"");
      seen();
      tony.assertExit(0);
      String use =
          cluster
              .events(tony.application(), JobEvent.Type.METRICS)
              .get(0)
              .details()
              .get("worker:0");
      assertTrue(use, use.matches("\\d+ \\d+\\.\\d\\d 44 1536"));
    }
  }

  /**
   * The master has one, the worker two under YARN's own name; the client has no resource-types.xml.
   */
  @Test
  public void shouldAskForTheMastersGpusAndForAnyResourceTypeByName() throws Exception {
    Path conf = folder.newFolder("conf").toPath();
    for (String file : List.of("core-site.xml", "hdfs-site.xml", "yarn-site.xml")) {
      Files.copy(cluster.confDir().resolve(file), conf.resolve(file));
    }
    try (TonyCommand tony =
        cluster.submit(
            conf,
            folder.getRoot().toPath(),
            "-executes",
            untilSeen(),
            "-conf",
            "tony.worker.instances=1",
            "-conf",
            "tony.worker.resource-types=" + GPU + "=2",
            "-conf",
            "tony.am.gpus=1")) {
      tony.await("1/1 tasks running");
      assertEquals(Long.valueOf(3), cluster.used(tony.application()).get(GPU));
      seen();
      tony.assertExit(0);
    }
  }

  @Test
  public void shouldRefuseMoreThanAContainerCanHave() throws Exception {
    int before = cluster.applications();
    try (TonyCommand tony =
        submit(
            "-executes", "true",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.worker.gpus=3",
            "-conf", "tony.am.gpus=4",
            "-conf", "tony.ps.instances=1",
            "-conf", "tony.ps.resource-types=yarn.io/fpga=1")) {
      tony.assertExit(2);
      for (String expected :
          List.of(
              "each worker asks for 3 yarn.io/gpu; the cluster's largest container has 2. Lower"
                  + " tony.worker.gpus or ask the administrator which nodes offer it",
              "the ApplicationMaster asks for 4 yarn.io/gpu; the cluster's largest container has 2",
              "each ps asks for 1 yarn.io/fpga; the cluster has no such resource type, only"
                  + " [memory-mb, vcores, yarn.io/gpu]. Correct or remove tony.ps.resource-types")) {
        assertTrue(expected + "\nis missing in:\n" + tony.text(), tony.text().contains(expected));
      }
    }
    assertEquals(before, cluster.applications());
  }

  @Test
  public void shouldWarnOfMoreGpusThanTheClusterHas() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "sleep 4951",
            "-conf", "tony.worker.instances=5",
            "-conf", "tony.worker.gpus=1",
            "-conf", "tony.container.allocation.timeout=4s")) {
      tony.assertExit(5);
      assertTrue(
          tony.text(),
          tony.text()
              .contains(
                  "the gang asks for 5 yarn.io/gpu in all, and the cluster's 2 running nodes have"
                      + " 4"));
      assertTrue(tony.text(), tony.text().contains("1 of 5 are missing, for worker:"));
    }
  }

  @Test
  public void shouldHoldConstraintsWithThePlacementProcessorToo() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "true",
            "-conf", "tony.worker.instances=2",
            "-conf", "tony.worker.gpus=1",
            "-conf", "tony.worker.placement-spec=notin,node,worker")) {
      tony.assertExit(0);
      assertEquals(
          Set.of("127.1.0.1", "127.1.0.2"),
          Set.copyOf(cluster.nodes(tony.application(), "worker")));
    }
  }

  /** The processor gives a request up after a few heartbeats; the job decides how long it waits. */
  @Test
  public void shouldAskAgainForWhatThePlacementProcessorRejects() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "sleep 4952",
            "-conf", "tony.worker.instances=3",
            "-conf", "tony.worker.placement-spec=notin,node,worker",
            "-conf", "tony.container.allocation.timeout=8s")) {
      tony.assertExit(5);
      assertTrue(tony.text(), tony.text().contains("1 of 3 are missing, for worker:"));
      String log = cluster.masterLog(tony.application());
      assertTrue(log, log.contains("YARN finds no node for worker now"));
    }
  }
}
