package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A program that uses more memory than its container has: its NodeManager ends it. */
public class MemoryIT {
  private static final Pattern MESSAGE =
      Pattern.compile(
          "worker:0 used (\\d+) MiB of its 256 MiB; set tony\\.worker\\.memory=(\\d+)m");

  /**
   * Its NodeManager watches memory itself, instead of leaving that to cgroups. It ends a container
   * when it has seen its processes twice: far enough apart for the program to have all that it
   * wants by then.
   */
  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster(
          "mini-memory",
          "--node-managers",
          "1",
          "--set",
          "yarn.nodemanager.resource.memory.enforced=false",
          "--set",
          "yarn.nodemanager.resource-monitor.interval-ms=3000");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(cluster);

  @Test
  public void shouldTellWhatAProgramUsedAndWhatToAskFor() throws Exception {
    Files.writeString(
        folder.newFolder("src").toPath().resolve("hungry.py"),
        """
        import time
        held = b"x" * (400 << 20)
        time.sleep(5353)
        """);
    try (TonyCommand tony =
        cluster.submit(
            folder.getRoot().toPath(),
            "-executes",
            "hungry.py",
            "-python_binary_path",
            "python3",
            "-src_dir",
            "src",
            "-conf",
            "tony.am.memory=512m",
            "-conf",
            "tony.worker.instances=1",
            "-conf",
            "tony.worker.memory=256m")) {
      tony.assertExit(1);
      String application = tony.application();
      JobEvent failure = cluster.events(application, JobEvent.Type.TASK_FAILED).get(0);
      assertEquals("MEMORY", failure.detail("kind"));
      Matcher matcher = MESSAGE.matcher(failure.detail("message"));
      assertTrue(failure.detail("message"), matcher.find());
      int used = Integer.parseInt(matcher.group(1));
      assertTrue(used + " MiB", used >= 400 && used < 700);
      assertTrue(matcher.group(), Integer.parseInt(matcher.group(2)) > used);
      assertTrue(tony.text(), tony.text().contains(matcher.group()));
      JobEvent end = cluster.events(application, JobEvent.Type.JOB_FINISHED).get(0);
      assertEquals("MEMORY", end.detail("kind"));
    }
  }

  /** What the program holds and its executor are 1.3 times what its first container has. */
  @Test
  public void shouldStartAgainInALargerContainer() throws Exception {
    Path root = folder.getRoot().toPath();
    Path go = root.resolve("go");
    Path starts = root.resolve("starts");
    Files.writeString(
        folder.newFolder("src").toPath().resolve("hungry.py"),
        """
        import os, time
        with open("%s", "a") as starts:
            starts.write("start\\n")
        held = b"x" * (600 << 20)
        while not os.path.exists("%s"):
            time.sleep(0.1)
        """
            .formatted(starts, go));
    try (TonyCommand tony =
        cluster.submit(
            root,
            "-executes",
            "hungry.py",
            "-python_binary_path",
            "python3",
            "-src_dir",
            "src",
            "-conf",
            "tony.am.memory=512m",
            "-conf",
            "tony.gang.max-restarts=1",
            "-conf",
            "tony.worker.instances=1",
            "-conf",
            "tony.worker.memory=512m",
            "-conf",
            "tony.worker.memory-growth=2",
            "-events")) {
      tony.await("worker was ended for its memory at 512 MiB; it starts again with 1024 MiB");
      tony.await("\"TASK_STARTED\"", 2);
      String application = tony.application();
      assertEquals(List.of(1024L), running(application));
      Files.createFile(go);
      tony.assertExit(0);

      assertEquals(2, Files.readAllLines(starts).size());
      JobEvent restart = cluster.events(application, JobEvent.Type.GANG_RESTARTED).get(0);
      assertEquals("MEMORY", restart.detail("kind"));
      assertEquals("1024", restart.detail("memory"));
      assertEquals(
          List.of("512", "1024"),
          cluster.events(application, JobEvent.Type.TASK_ALLOCATED).stream()
              .map(event -> event.detail("memory"))
              .toList());
      assertTrue(tony.text(), tony.text().contains("tony.worker.memory=1g begins with that"));
    }
  }

  /** The sizes of the containers that run, by YARN, but for the ApplicationMaster's. */
  private static List<Long> running(String application) throws Exception {
    try (YarnClient yarn = cluster.yarn()) {
      ApplicationAttemptId attempt =
          yarn.getApplicationReport(ApplicationId.fromString(application))
              .getCurrentApplicationAttemptId();
      ContainerId master = yarn.getApplicationAttemptReport(attempt).getAMContainerId();
      return yarn.getContainers(attempt).stream()
          .filter(report -> report.getContainerState() == ContainerState.RUNNING)
          .filter(report -> !report.getContainerId().equals(master))
          .map(report -> report.getAllocatedResource().getMemorySize())
          .toList();
    }
  }
}
