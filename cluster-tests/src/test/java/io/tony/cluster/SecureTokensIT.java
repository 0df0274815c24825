package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * A training that lasts longer than anything it was submitted with, on a cluster with two NameNodes
 * and ResourceManagers each, and a second HDFS. Tokens are renewed every 20 s and end after a
 * minute, where HDFS and YARN have a day and a week; the key of the ApplicationMaster's token rolls
 * after 61 s and is the only one 30 s later. YARN wants that to be over three times as long as an
 * ApplicationMaster may be silent, which is also the time that one has to start in: 9 s were too
 * short on a busy machine.
 */
public class SecureTokensIT {
  private static final int TRAINS_SECONDS = 125;

  /** On a busy machine each takes longer, and there are fewer. */
  private static final int BEATS = 3;

  @ClassRule
  public static final SecureCluster CLUSTER =
      new SecureCluster(
              "secure-tokens",
              "dfs.namenode.delegation.token.renew-interval=20000",
              "dfs.namenode.delegation.token.max-lifetime=60000",
              "yarn.resourcemanager.delegation.token.renew-interval=20000",
              "yarn.resourcemanager.delegation.token.max-lifetime=60000",
              "yarn.resourcemanager.am.max-attempts=3",
              "yarn.am.liveness-monitor.expiry-interval-ms=20000",
              "yarn.resourcemanager.am-rm-tokens.master-key-rolling-interval-secs=61")
          .highlyAvailable();

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(CLUSTER);

  private static String second() {
    return CLUSTER.daemons().property("fs.other");
  }

  /** It goes to both HDFS about every 20 s, and fails when it may not. */
  private static String program() {
    return "i=0; end=$(($(date +%s) + "
        + TRAINS_SECONDS
        + ")); while [ $(date +%s) -lt $end ]; do sleep 20; i=$((i + 1)); "
        + CLUSTER.hdfs("-touchz /user/alice/beat-$i " + second() + "/tmp/beat-$i")
        + " || exit 7; done";
  }

  @Test
  public void shouldTrainOnThroughLossesAndLongerThanItsTokensHold() throws Exception {
    Path work = folder.getRoot().toPath();
    try (TonyCommand alice =
        CLUSTER.tony(
            CLUSTER.ticket("alice"),
            work,
            "submit",
            "-executes",
            program(),
            "-conf",
            "tony.worker.instances=1",
            "-conf",
            "tony.am.max-attempts=3",
            "-conf",
            "tony.other.namenodes=" + second())) {
      alice.await("1/1 tasks running");
      CLUSTER.daemons().awaitReported(alice.application(), 2);
      OwnCluster.master(alice.application()).destroyForcibly(); // before any renewal
      alice.awaitTakeover(1);
      CLUSTER.daemons().failOverNameNode();
      CLUSTER.daemons().failOverResourceManager();
      awaitHdfs("beat-1"); // YARN has renewed by now
      OwnCluster.master(alice.application()).destroyForcibly();
      alice.await("attempt 3");
      alice.await("the job was given new tokens", 2);

      alice.assertExit(0);
      assertEquals(List.of(), missing());
      String log = "/user/alice/.tony/history/" + alice.application() + "/events-3.jsonl";
      String last = CLUSTER.daemons().hdfsText(log);
      assertTrue(last, last.contains("JOB_FINISHED"));
    }
  }

  private static List<String> missing() throws IOException, InterruptedException {
    List<String> there = CLUSTER.daemons().hdfsNames("/user/alice");
    return IntStream.rangeClosed(1, BEATS)
        .mapToObj(i -> "beat-" + i)
        .filter(beat -> !there.contains(beat))
        .toList();
  }

  /** The program tells nobody else; the rule limits the time. */
  private static void awaitHdfs(String name) throws IOException, InterruptedException {
    while (!CLUSTER.daemons().hdfsNames("/user/alice").contains(name)) {
      Thread.sleep(100);
    }
  }
}
