package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;

import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * A secure cluster with two NameNodes behind a logical name and two ResourceManagers: what clients
 * and jobs do when the active one goes on standby and the other takes its place.
 */
public class SecureHighAvailabilityIT {
  @ClassRule
  public static final SecureCluster CLUSTER =
      new SecureCluster("secure-high-availability").highlyAvailable();

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(CLUSTER);

  private TonyCommand tony(Map<String, String> login, String command, String... arguments)
      throws IOException {
    return CLUSTER.tony(login, folder.getRoot().toPath(), command, arguments);
  }

  private TonyCommand submit(Map<String, String> login, String program, String... more)
      throws IOException {
    List<String> all =
        new ArrayList<>(List.of("-executes", program, "-conf", "tony.worker.instances=1"));
    all.addAll(List.of(more));
    return tony(login, "submit", all.toArray(String[]::new));
  }

  private Path sign(String name) {
    return folder.getRoot().toPath().resolve(name);
  }

  private String waitFor(String name) {
    return "until test -e " + sign(name) + "; do sleep 0.1; done; ";
  }

  /** A part of a program that fails when it may not write. */
  private static String write(String file) {
    return CLUSTER.hdfs("-touchz " + file) + " || exit 7; ";
  }

  @Test
  public void shouldTrainThroughFailoversOfBoth() throws Exception {
    String program =
        waitFor("other-namenode")
            + write("/user/alice/with-other-namenode")
            + waitFor("other-master")
            + write("/user/alice/with-other-master")
            + write(CLUSTER.daemons().property("fs.other") + "/tmp/on-the-second-hdfs");
    String second = "tony.other.namenodes=" + CLUSTER.daemons().property("fs.other");
    try (TonyCommand alice = submit(CLUSTER.ticket("alice"), program, "-conf", second)) {
      alice.await("1/1 tasks running");
      String job = alice.application();
      CLUSTER.daemons().awaitReported(job, 2);
      String nameNode = CLUSTER.daemons().property("namenode.http");
      String resourceManager = CLUSTER.daemons().property("resourcemanager.http");

      CLUSTER.daemons().failOverNameNode();
      assertNotEquals(nameNode, CLUSTER.daemons().property("namenode.http"));
      Files.createFile(sign("other-namenode"));
      awaitHdfs("with-other-namenode");

      CLUSTER.daemons().failOverResourceManager();
      assertNotEquals(resourceManager, CLUSTER.daemons().property("resourcemanager.http"));
      awaitRunning(job); // its master has registered with the other ResourceManager
      OwnCluster.master(job).destroyForcibly();
      alice.awaitTakeover(1);
      Files.createFile(sign("other-master"));

      alice.assertExit(0);
      assertSucceeded(job);
      awaitHdfs("with-other-master");
    }
    try (TonyCommand next = submit(CLUSTER.ticket("alice"), "true")) {
      next.assertExit(0);
      assertSucceeded(next.application());
    }
  }

  @Test
  public void shouldFollowThemWithTokensOnly() throws Exception {
    Path file = folder.getRoot().toPath().resolve("tokens");
    CLUSTER.run(CLUSTER.ticket("alice"), TokenFile.class, file.toString());
    Map<String, String> tokens = SecureCluster.tokens(file);
    CLUSTER.daemons().failOverNameNode();
    CLUSTER.daemons().failOverResourceManager();
    String second = CLUSTER.daemons().property("fs.other"); // of which the file has no token
    try (TonyCommand refused = submit(tokens, "true", "-conf", "tony.other.namenodes=" + second)) {
      refused.assertExit(3);
      refused.await(second + " wants Kerberos, and this client has no ticket and no token of it");
    }
    try (TonyCommand alice =
        submit(tokens, waitFor("go") + CLUSTER.hdfs("-touchz /user/alice/by-token"))) {
      alice.await("1/1 tasks running");
      String job = alice.application();
      alice.kill();
      try (TonyCommand follower = tony(tokens, "follow", job)) {
        follower.await("1/1 tasks running");
        CLUSTER.daemons().failOverNameNode();
        CLUSTER.daemons().failOverResourceManager();
        Files.createFile(sign("go"));
        follower.assertExit(0);
      }
      assertSucceeded(job);
    }
  }

  private static void assertSucceeded(String application) throws Exception {
    assertEquals("SUCCEEDED", CLUSTER.daemons().application(application).finalStatus());
    String history = "/user/alice/.tony/history/" + application;
    StringBuilder events = new StringBuilder();
    for (String log : CLUSTER.daemons().hdfsNames(history)) {
      events.append(CLUSTER.daemons().hdfsText(history + "/" + log));
    }
    long ends = events.toString().lines().filter(e -> e.contains("\"JOB_FINISHED\"")).count();
    assertEquals(events.toString(), 1, ends);
  }

  /** YARN tells nobody; the rule limits the time. */
  private static void awaitRunning(String application) throws Exception {
    while (!CLUSTER.daemons().application(application).state().equals("RUNNING")) {
      Thread.sleep(100);
    }
  }

  /** The program tells nobody else; the rule limits the time. */
  private static void awaitHdfs(String name) throws Exception {
    while (!CLUSTER.daemons().hdfsNames("/user/alice").contains(name)) {
      Thread.sleep(100);
    }
  }
}
