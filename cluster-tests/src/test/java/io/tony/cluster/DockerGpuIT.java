package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.BuildArtifacts;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.RuleChain;
import org.junit.rules.TemporaryFolder;

/**
 * GPUs in Docker without a GPU: YARN's own plugin on a node with two hand-listed devices. Docker's
 * runtime {@code nvidia} is runc here: what NVIDIA's makes of NVIDIA_VISIBLE_DEVICES is not tested,
 * but that each container is given the right value.
 */
public class DockerGpuIT {
  private static final String IMAGE = DockerCluster.REGISTRY + "/gpu:1";
  private static final String GPU = "yarn.io/gpu";
  private static final String PLUGIN = "yarn.nodemanager.resource-plugins";
  private static final String NVIDIA_SMI =
      BuildArtifacts.file("src-test-resources/gpu/nvidia-smi").toString();

  /** What that stand-in says of each GPU: percent and MiB. */
  private static final Map<String, String> USE = Map.of("0", "43 1024", "1", "45 512");

  /** What each task prints, amid the page on which YARN shows it. */
  private static final Pattern HAS = Pattern.compile(IMAGE + " has (\\S+)\n");

  private static final DevicesCgroup CGROUP = new DevicesCgroup();

  private static final DockerCluster CLUSTER =
      new DockerCluster("mini-docker-gpu", "--add-runtime=nvidia=runc")
          // YARN keeps who has which GPU in a static, which the nodes of one JVM share.
          .options("--node-managers", "1")
          // NVIDIA's runtime would put it there.
          .mount(NVIDIA_SMI, "/usr/bin/nvidia-smi")
          .helper(
              "docker.allowed.runtimes=nvidia",
              "[gpu]",
              "module.enabled=true",
              "[cgroups]",
              "root=" + DevicesCgroup.ROOT,
              "yarn-hierarchy=" + CGROUP.name())
          .settings(
              "yarn.resource-types=" + GPU,
              PLUGIN + "=" + GPU,
              PLUGIN + ".gpu.allowed-gpu-devices=0:0,1:1",
              PLUGIN + ".gpu.path-to-discovery-executables=" + NVIDIA_SMI,
              PLUGIN + ".gpu.docker-plugin=nvidia-docker-v2",
              LinuxContainers.EXECUTOR + ".cgroups.mount-path=" + DevicesCgroup.ROOT,
              LinuxContainers.EXECUTOR + ".cgroups.hierarchy=" + CGROUP.name());

  @ClassRule public static final RuleChain PARTS = RuleChain.outerRule(CGROUP).around(CLUSTER);

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(CLUSTER);

  @BeforeClass
  public static void makeImage() throws Exception {
    CLUSTER.daemon().makeImage(IMAGE);
  }

  /** The last sample of what a task uses. */
  private static String use(String application, String task) throws Exception {
    return CLUSTER.events(application, JobEvent.Type.METRICS).stream()
        .map(event -> event.details().getOrDefault(task, ""))
        .filter(use -> !use.isEmpty())
        .reduce((earlier, later) -> later)
        .orElseThrow();
  }

  @Test
  public void shouldGiveEachTaskInDockerAGpuOfItsOwn() throws Exception {
    try (TonyCommand job =
        CLUSTER.submit(
            folder.getRoot().toPath(),
            IMAGE,
            "-executes",
            "echo $(cat /etc/image-name) has $NVIDIA_VISIBLE_DEVICES;"
                + " until [ -e /tmp/seen ]; do sleep 0.1; done",
            "-conf",
            "tony.worker.instances=2",
            "-conf",
            "tony.worker.gpus=1",
            "-conf",
            "tony.task.metrics-interval-ms=1000",
            "-events")) {
      job.await("\"worker:0\":");
      job.await("\"worker:1\":");
      DockerDaemon docker = CLUSTER.daemon();
      for (String container : docker.docker("ps", "--quiet").lines().toList()) {
        assertEquals(
            "nvidia\n", docker.docker("inspect", "--format={{.HostConfig.Runtime}}", container));
        docker.docker("exec", container, "touch", "/tmp/seen");
      }
      job.assertExit(0);
      Set<String> given = new TreeSet<>();
      for (String task : Set.of("worker:0", "worker:1")) {
        String said = CLUSTER.stdout(job.application(), task);
        Matcher has = HAS.matcher(said);
        assertTrue(said, has.find());
        String gpu = has.group(1);
        given.add(gpu);
        String use = use(job.application(), task);
        assertTrue(use, use.matches("\\d+ \\d+\\.\\d\\d " + USE.get(gpu)));
      }
      assertEquals(Set.of("0", "1"), given);
    }
  }
}
