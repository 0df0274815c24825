package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import io.tony.mini.MiniClusterProcess;
import io.tony.testing.FlowFolder;
import io.tony.testing.InstalledJobType;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import io.tony.testing.TonyCommand;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * Steps of several users on a cluster with Kerberos: Azkaban logs in with its keytab and acts for
 * alice and bob, as the cluster lets it.
 */
public class SecureStepsIT {
  private static MiniClusterProcess cluster;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing = LeavesNothing.on(() -> cluster);

  private final RecordedEvents events = new RecordedEvents();
  private InstalledJobType plugin;

  @BeforeClass
  public static void startCluster() throws Exception {
    Stream<String> settings =
        Stream.of(
            TestCluster.settings(
                "hadoop.proxyuser.azkaban.hosts=*", "hadoop.proxyuser.azkaban.users=alice,bob"));
    cluster =
        TestCluster.start(
            "secure",
            Stream.concat(Stream.of("--kerberos", "alice,bob,carol,azkaban"), settings)
                .toArray(String[]::new));
  }

  @AfterClass
  public static void stopCluster() throws Exception {
    cluster.close();
  }

  @Before
  public void installPlugin() throws Exception {
    plugin = InstalledJobType.install(root().resolve("plugins"), cluster);
    String krb5Conf = TonyCommand.krb5Conf(cluster);
    plugin.set(
        "tony.client.jvm.args=-Xmx96m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 " + krb5Conf,
        "tony.task.default.jvm.opts=" + krb5Conf);
    plugin.setPrivate(
        "azkaban.should.proxy.user=true",
        "proxy.user=azkaban",
        "proxy.keytab.location=" + cluster.kerberos().resolve("azkaban.keytab"));
  }

  private Path root() {
    return temporary.getRoot().toPath();
  }

  private static String[] step(String user, String program, String... more) {
    return Stream.concat(
            Stream.of(
                ClusterFlowTest.tony(
                    "executes=" + program, "tony.worker.instances=1", "user.to.proxy=" + user)),
            Stream.of(more))
        .toArray(String[]::new);
  }

  /** Leaves a file in the user's home. */
  private static String touch(String file) {
    return "\"$JAVA_HOME/bin/java\" "
        + TonyCommand.krb5Conf(cluster)
        + " org.apache.hadoop.fs.FsShell -touchz "
        + file;
  }

  private FlowRequest request(FlowFolder flow) {
    return FlowRequest.builder(flow.folder(), root().resolve("work"))
        .plugins(plugin.jobTypes())
        .listener(events)
        .build();
  }

  private String log(String job) {
    return String.join("\n", events.lines(job));
  }

  private void assertAllIsOf(String user, String job) throws Exception {
    String id =
        Pattern.compile("application_\\d+_\\d+")
            .matcher(log(job))
            .results()
            .findFirst()
            .get()
            .group();
    assertEquals(user, cluster.application(id).user());
    String history = "/user/" + user + "/.tony/history/" + id;
    for (String path : List.of("/user/" + user + "/made", history, history + "/events.jsonl")) {
      assertEquals(path, user, cluster.hdfsOwner(path));
    }
    assertTrue(cluster.hdfsText(history + "/events.jsonl").contains("\"JOB_FINISHED\""));
  }

  @Test
  public void shouldRunEachStepAsItsUserAndNoneAsAzkaban() throws Exception {
    FlowFolder flow = FlowFolder.in(root().resolve("flow"));
    flow.job("of-alice", step("alice", touch("/user/alice/made")))
        .job("of-bob", step("bob", touch("/user/bob/made")))
        .job("of-carol", step("carol", "true"))
        .job("end", "type=noop", "dependencies=of-alice,of-bob,of-carol");

    FlowResult result = FlowEngine.run(request(flow));

    assertEquals(log("of-alice"), Status.SUCCEEDED, result.job("of-alice").status());
    assertEquals(log("of-bob"), Status.SUCCEEDED, result.job("of-bob").status());
    assertEquals(Status.FAILED, result.job("of-carol").status());
    assertAllIsOf("alice", "of-alice");
    assertAllIsOf("bob", "of-bob");
    String refused = log("of-carol");
    assertTrue(refused, refused.contains("the cluster does not let azkaban"));
    assertFalse(refused, refused.contains("\tat "));
    List<String> audit = cluster.audit();
    assertTrue("nobody was proxied", audit.stream().anyMatch(line -> line.contains("via azkaban")));
    assertEquals(
        "what Azkaban itself did on HDFS",
        List.of(),
        audit.stream().filter(line -> line.contains("ugi=azkaban")).toList());
  }

  @Test
  public void shouldEndAStepOfAnotherUser() throws Exception {
    FlowFolder flow = FlowFolder.in(root().resolve("flow"));
    flow.job("train", step("alice", "sleep 600"));
    FlowExecution execution = FlowEngine.prepare(request(flow));
    execution.start();
    try {
      events.awaitLine("train", "1/1 tasks running");
    } finally {
      execution.kill("a test");
    }

    assertEquals(log("train"), List.of(), LeavesNothing.leftovers(cluster));
    assertEquals(Status.KILLED, execution.await().status());
  }
}
