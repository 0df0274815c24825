package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.check.project.ProjectArchive;
import io.tony.model.JobEvent;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.yarn.client.cli.RMAdminCLI;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * Where containers run: node labels, and placement constraints that the scheduler handles. Nodes 1
 * and 2 have no label; node 3 has the label {@code fast}, and nobody the label {@code slow}.
 */
public class RequestsIT {
  private static final String FAST_NODE = "127.1.0.3";
  private static final Set<String> OTHER_NODES = Set.of("127.1.0.1", "127.1.0.2");

  private static final String CAPACITY = "yarn.scheduler.capacity.root.";

  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster(
          "mini-requests",
          "--node-managers",
          "3",
          "--node-memory-mb",
          "2048",
          "--node-heartbeat-ms",
          "200",
          "--set",
          "yarn.resourcemanager.placement-constraints.handler=scheduler",
          "--set",
          "yarn.node-labels.enabled=true",
          // Everybody may use one queue, and this test's user not the other one.
          "--set",
          "yarn.acl.enable=true",
          "--set",
          CAPACITY + "acl_submit_applications=nobody",
          "--set",
          CAPACITY + "acl_administer_queue=nobody",
          "--set",
          CAPACITY + "queues=default,closed",
          "--set",
          CAPACITY + "default.acl_submit_applications=*",
          "--set",
          CAPACITY + "default.capacity=100",
          "--set",
          CAPACITY + "closed.capacity=0",
          "--set",
          CAPACITY + "closed.accessible-node-labels.fast.capacity=0",
          "--set",
          CAPACITY + "accessible-node-labels=*",
          "--set",
          CAPACITY + "accessible-node-labels.fast.capacity=100",
          "--set",
          CAPACITY + "default.accessible-node-labels=fast",
          "--set",
          CAPACITY + "default.accessible-node-labels.fast.capacity=100",
          "--set",
          CAPACITY + "default.accessible-node-labels.fast.maximum-am-resource-percent=1");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(cluster);

  @BeforeClass
  public static void labelANode() throws Exception {
    RMAdminCLI admin = new RMAdminCLI(cluster.configuration());
    assertEquals(0, admin.run(new String[] {"-addToClusterNodeLabels", "fast,slow"}));
    assertEquals(0, admin.run(new String[] {"-replaceLabelsOnNode", FAST_NODE + "=fast"}));
  }

  private TonyCommand submit(String... arguments) throws Exception {
    return cluster.submit(folder.getRoot().toPath(), arguments);
  }

  private static String master(String application) throws Exception {
    return cluster.events(application, JobEvent.Type.AM_STARTED).get(0).detail("host");
  }

  private static void assertSucceeded(TonyCommand tony, int tasks) throws Exception {
    tony.assertExit(0);
    assertEquals(tasks, cluster.events(tony.application(), JobEvent.Type.TASK_SUCCEEDED).size());
  }

  private void refused(String expected, String... more) throws Exception {
    int before = cluster.applications();
    String[] all = new String[more.length + 4];
    System.arraycopy(
        new String[] {"-executes", "true", "-conf", "tony.worker.instances=1"}, 0, all, 0, 4);
    System.arraycopy(more, 0, all, 4, more.length);
    try (TonyCommand tony = submit(all)) {
      tony.assertExit(2);
      assertTrue(tony.text(), tony.text().contains(expected));
    }
    assertEquals(before, cluster.applications());
  }

  // ---- Queues ----

  @Test
  public void shouldRefuseAQueueThatTheUserMayNotUse() throws Exception {
    refused(
        "may not submit to queue closed; set tony.yarn.queue", "-conf", "tony.yarn.queue=closed");
  }

  @Test
  public void shouldCheckAProjectAgainstTheCluster() throws Exception {
    int before = cluster.applications();
    String job = "type=tony\nexecutes=true\ntony.worker.instances=1\n";
    write("closed.job", job + "tony.yarn.queue=closed");
    write("unknown.job", job + "tony.yarn.queue=no-such-queue");
    write("large.job", job + "tony.worker.memory=64g\ntony.worker.node-label=none");
    write("files.job", job + "tony.containers.resources=hdfs:///no/such/file");
    write("jars.job", job + "hdfs_classpath=hdfs:///no/jars");
    write("good.job", job);
    Path zip =
        ProjectArchive.zip(
            folder.getRoot().toPath().resolve("project"),
            folder.getRoot().toPath().resolve("project.zip"));
    try (TonyCommand tony = cluster.tony(folder.getRoot().toPath(), "validate", zip.toString())) {
      tony.assertExit(2);
      for (String expected :
          List.of(
              "may not submit to queue closed",
              "unknown: queue no-such-queue does not exist; set tony.yarn.queue to one of",
              "large: each worker asks for 65536 MiB; the cluster's largest container has",
              "large: tony.worker.node-label is none; the cluster has the node labels [fast, slow]",
              "files: the job ships hdfs:///no/such/file, which does not exist",
              "jars: hdfs_classpath names hdfs:///no/jars, which does not exist",
              "good is valid: 1 task",
              "6 problems in ")) {
        assertTrue(expected + "\nis missing in:\n" + tony.text(), tony.text().contains(expected));
      }
    }
    try (TonyCommand tony =
        cluster.tony(folder.getRoot().toPath(), "validate", "-offline", zip.toString())) {
      tony.assertExit(0);
    }
    assertEquals(before, cluster.applications());
  }

  private void write(String name, String content) throws Exception {
    Path file = folder.getRoot().toPath().resolve("project").resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  // ---- Node labels ----

  @Test
  public void shouldRunALabelledRoleOnTheLabelledNode() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "true",
            "-conf", "tony.worker.instances=2",
            "-conf", "tony.worker.node-label=fast",
            "-conf", "tony.evaluator.instances=1",
            "-conf", "tony.evaluator.memory=128m")) {
      assertSucceeded(tony, 3);
      String application = tony.application();
      assertEquals(List.of(FAST_NODE, FAST_NODE), cluster.nodes(application, "worker"));
      assertTrue(OTHER_NODES.containsAll(cluster.nodes(application, "evaluator")));
      assertTrue(OTHER_NODES.contains(master(application)));
    }
  }

  @Test
  public void shouldRunTheMasterAloneOnItsOwnLabel() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "true",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.am.node-label=fast")) {
      assertSucceeded(tony, 1);
      assertEquals(FAST_NODE, master(tony.application()));
      assertTrue(OTHER_NODES.containsAll(cluster.nodes(tony.application(), "worker")));
    }
  }

  @Test
  public void shouldRunTheWholeJobOnTheApplicationsLabel() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "true",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.evaluator.instances=1",
            "-conf", "tony.evaluator.memory=128m",
            "-conf", "tony.evaluator.allocation-tags=evaluators",
            "-conf", "tony.application.node-label=fast")) {
      assertSucceeded(tony, 2);
      String application = tony.application();
      assertEquals(FAST_NODE, master(application));
      assertEquals(List.of(FAST_NODE), cluster.nodes(application, "worker"));
      assertEquals(List.of(FAST_NODE), cluster.nodes(application, "evaluator"));
    }
  }

  @Test
  public void shouldRefuseALabelThatTheClusterOrTheQueueLacks() throws Exception {
    refused(
        "tony.worker.node-label is quick; the cluster has the node labels [fast, slow]",
        "-conf",
        "tony.worker.node-label=quick");
    refused(
        "tony.am.node-label is slow; queue default may use [fast] only: choose another queue",
        "-conf",
        "tony.am.node-label=slow");
  }

  // ---- Placement constraints ----

  @Test
  public void shouldKeepTasksOnNodesOfTheirOwn() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "true",
            "-conf", "tony.worker.instances=2",
            "-conf", "tony.worker.placement-spec=notin,node,worker")) {
      assertSucceeded(tony, 2);
      assertEquals(OTHER_NODES, Set.copyOf(cluster.nodes(tony.application(), "worker")));
    }
  }

  @Test
  public void shouldKeepTasksBesideThoseOfAnotherRole() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "true",
            "-conf", "tony.evaluator.instances=1",
            "-conf", "tony.evaluator.memory=128m",
            "-conf", "tony.evaluator.allocation-tags=scores",
            "-conf", "tony.worker.instances=3",
            "-conf", "tony.worker.placement-spec=in,node,scores")) {
      assertSucceeded(tony, 4);
      String node = cluster.nodes(tony.application(), "evaluator").get(0);
      assertEquals(List.of(node, node, node), cluster.nodes(tony.application(), "worker"));
    }
  }

  @Test
  public void shouldHoldAnApplicationsConstraintForEveryRole() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "true",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.evaluator.instances=1",
            "-conf", "tony.evaluator.memory=128m",
            "-conf", "tony.application.placement-spec=notin,node,worker,evaluator")) {
      assertSucceeded(tony, 2);
      assertNotEquals(
          cluster.nodes(tony.application(), "worker"),
          cluster.nodes(tony.application(), "evaluator"));
    }
  }

  @Test
  public void shouldHoldAConstraintAndALabelTogether() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "true",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.worker.node-label=fast",
            "-conf", "tony.worker.placement-spec=notin,node,worker")) {
      assertSucceeded(tony, 1);
      assertEquals(List.of(FAST_NODE), cluster.nodes(tony.application(), "worker"));
    }
  }

  /** What was asked for and never came is taken back; the containers that came are given back. */
  @Test
  public void shouldGiveUpAGangThatItsConstraintKeepsApart() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "sleep 4949",
            "-conf", "tony.worker.instances=3",
            "-conf", "tony.worker.placement-spec=notin,node,worker",
            "-conf", "tony.container.allocation.timeout=5s")) {
      tony.assertExit(5);
      assertTrue(tony.text(), tony.text().contains("1 of 3 are missing, for worker:"));
    }
  }

  @Test
  public void shouldRefuseAConstraintThatYarnCannotRead() throws Exception {
    refused(
        "the placement-spec of role worker is 'worker,node,notin': Invalid constraint expression"
            + " worker,node,notin; write for example notin,node,worker",
        "-conf",
        "tony.worker.placement-spec=worker,node,notin");
    refused(
        "tony.application.placement-spec is 'notin': Invalid constraint expression notin",
        "-conf",
        "tony.application.placement-spec=notin");
  }

  @Test
  public void shouldWarnOfAGangThatTheClusterCannotHold() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "sleep 4950",
            "-conf", "tony.worker.instances=7",
            "-conf", "tony.worker.memory=1g",
            "-conf", "tony.container.allocation.timeout=1s")) {
      tony.assertExit(5);
      assertTrue(
          tony.text(),
          tony.text()
              .contains(
                  "the gang asks for 7168 MiB of memory in all, and the cluster's 3 running nodes"
                      + " have 6144: it waits"));
    }
  }
}
