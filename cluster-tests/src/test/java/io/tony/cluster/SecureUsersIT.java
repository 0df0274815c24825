package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.mini.Tickets;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Who acts as whom on a cluster with Kerberos, whose RPC is encrypted; by each way to log in. */
public class SecureUsersIT {
  private static final int KILLED = 143;
  private static final int STOPPED = 4;

  @ClassRule
  public static final SecureCluster CLUSTER =
      new SecureCluster(
          "secure-users",
          "yarn.acl.enable=true",
          "yarn.admin.acl=hadoop",
          // The CapacityScheduler's own default is everybody.
          "yarn.scheduler.capacity.root.acl_administer_queue= ",
          "yarn.scheduler.capacity.root.default.acl_administer_queue= ");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(CLUSTER);

  private TonyCommand submit(Map<String, String> login, String program, String... more)
      throws IOException {
    String[] arguments = new String[more.length + 4];
    arguments[0] = "-executes";
    arguments[1] = program;
    arguments[2] = "-conf";
    arguments[3] = "tony.worker.instances=1";
    System.arraycopy(more, 0, arguments, 4, more.length);
    return CLUSTER.tony(login, folder.getRoot().toPath(), "submit", arguments);
  }

  private TonyCommand tony(String user, String command, String application) throws IOException {
    return CLUSTER.tony(CLUSTER.ticket(user), folder.getRoot().toPath(), command, application);
  }

  private static void assertOwned(String user, String... paths) throws Exception {
    for (String path : paths) {
      assertEquals(path, user, CLUSTER.daemons().hdfsOwner(path));
    }
  }

  private static void assertAllIsOf(String user, TonyCommand job) throws Exception {
    String id = job.application();
    String history = "/user/" + user + "/.tony/history/" + id;
    assertEquals(user, CLUSTER.daemons().application(id).user());
    assertEquals("SUCCEEDED", CLUSTER.daemons().application(id).finalStatus());
    List<String> logs = CLUSTER.daemons().hdfsNames(history);
    int finished = 0;
    for (String log : logs) {
      assertOwned(user, history + "/" + log);
      String text = CLUSTER.daemons().hdfsText(history + "/" + log);
      finished += text.contains("\"JOB_FINISHED\"") ? 1 : 0;
    }
    assertEquals("in " + logs, 1, finished);
  }

  @Test
  public void shouldTrainWithATicketAndReadAndWriteHdfs() throws Exception {
    String program =
        CLUSTER.hdfs("-touchz /user/alice/made") + " && " + CLUSTER.hdfs("-ls /user/alice/made");
    try (TonyCommand alice = submit(CLUSTER.ticket("alice"), program)) {
      alice.assertExit(0);
      assertAllIsOf("alice", alice);
      assertOwned("alice", "/user/alice/made");
    }
  }

  @Test
  public void shouldKeepAUsersFilesFromAnothersProgram() throws Exception {
    String program = CLUSTER.hdfs("-touchz /user/alice/of-bob");
    try (TonyCommand bob = submit(CLUSTER.ticket("bob"), program)) {
      bob.assertExit(1);
      assertTrue(bob.text(), bob.text().contains("Permission denied: user=bob"));
      assertFalse(CLUSTER.daemons().hdfsNames("/user/alice").contains("of-bob"));
    }
  }

  @Test
  public void shouldLogInWithAKeytab() throws Exception {
    Path keytab = CLUSTER.daemons().kerberos().resolve("carol.keytab");
    Path go = folder.getRoot().toPath().resolve("go");
    try (TonyCommand carol =
        submit(
            Map.of(),
            "until test -e " + go + "; do sleep 0.1; done",
            "-conf",
            "tony.keytab.user=carol",
            "-conf",
            "tony.keytab.location=" + keytab)) {
      carol.await("1/1 tasks running");
      String staged =
          CLUSTER
              .daemons()
              .hdfsText(
                  "/user/carol/.tony/staging/" + carol.application() + "/tony-job.properties");
      assertTrue(staged, staged.contains("tony.worker.instances"));
      assertFalse(staged, staged.contains("keytab"));
      Files.createFile(go);
      carol.assertExit(0);
      assertAllIsOf("carol", carol);
      assertFalse(carol.text(), carol.text().contains(keytab.toString()));
    }
    try (TonyCommand wrong =
        submit(
            Map.of(),
            "true",
            "-conf",
            "tony.keytab.user=alice",
            "-conf",
            "tony.keytab.location=" + keytab)) {
      wrong.assertExit(2);
      assertTrue(wrong.text(), wrong.text().contains("tony.keytab.user with tony.keytab.location"));
      assertFalse(wrong.text(), wrong.text().contains("\tat "));
    }
  }

  @Test
  public void shouldRefuseAClientWithoutAnyLoginAtOnce() throws Exception {
    try (TonyCommand nobody = submit(Map.of(), "true")) {
      nobody.assertExit(3);
      assertEquals(nobody.text(), 1, nobody.lines().size());
      nobody.await("the cluster wants Kerberos");
    }
  }

  @Test
  public void shouldActAsTheOwnerOfATokenFileThatSeveralStepsShare() throws Exception {
    Path file = folder.getRoot().toPath().resolve("tokens");
    CLUSTER.run(CLUSTER.ticket("alice"), TokenFile.class, file.toString());
    Map<String, String> tokens = SecureCluster.tokens(file);
    try (TonyCommand first = submit(tokens, CLUSTER.hdfs("-touchz /user/alice/by-token"))) {
      first.assertExit(0);
      assertAllIsOf("alice", first);
      assertOwned("alice", "/user/alice/by-token");
      first.await("the tokens that this client was given hold until");
    }
    try (TonyCommand second = submit(tokens, "sleep 600")) {
      second.await("1/1 tasks running");
      String id = second.application();
      second.kill();
      try (TonyCommand follower = CLUSTER.tony(tokens, folder.getRoot().toPath(), "follow", id)) {
        follower.await("1/1 tasks running");
        try (TonyCommand killer = CLUSTER.tony(tokens, folder.getRoot().toPath(), "kill", id)) {
          killer.assertExit(0);
        }
        follower.assertExit(STOPPED);
      }
      assertEquals("KILLED", CLUSTER.daemons().application(id).state());
    }
  }

  @Test
  public void shouldActWithTheTokensThatAzkabanTookForAStepsUserOnly() throws Exception {
    Path file = folder.getRoot().toPath().resolve("tokens");
    CLUSTER.run(CLUSTER.ticket("alice"), TokenFile.class, file.toString());
    Map<String, String> step = new HashMap<>(CLUSTER.ticket("bob")); // Azkaban's own
    step.put("TONY_RUN_AS", "alice");
    step.put("TONY_RUN_AS_TOKENS", file.toString());
    try (TonyCommand alice = submit(step, CLUSTER.hdfs("-touchz /user/alice/by-azkaban"))) {
      alice.assertExit(0);
      assertAllIsOf("alice", alice);
      assertOwned("alice", "/user/alice/by-azkaban");
    }
    step.put("TONY_RUN_AS", "carol");
    try (TonyCommand carol = submit(step, "true")) {
      carol.assertExit(2);
      carol.await("the tokens that Azkaban took for user.to.proxy=carol belong to [alice]");
    }
  }

  @Test
  public void shouldFollowOnWithTokensWhenTheTicketEnds() throws Exception {
    Path ticket = folder.getRoot().toPath().resolve("ticket");
    Path kerberos = CLUSTER.daemons().kerberos();
    Tickets.obtain(
        kerberos.resolve("krb5.conf"),
        "alice",
        kerberos.resolve("alice.keytab"),
        Duration.ofSeconds(45),
        ticket);
    Path go = folder.getRoot().toPath().resolve("go");
    try (TonyCommand alice =
        submit(
            Map.of("KRB5CCNAME", ticket.toString()),
            "until test -e " + go + "; do sleep 0.1; done")) {
      alice.await("1/1 tasks running");
      CLUSTER.daemons().awaitReported(alice.application(), 2);
      alice.await("warning: the Kerberos ticket has ended");
      CLUSTER.daemons().restartResourceManager();
      Files.copy(kerberos.resolve("bob.ticket"), ticket, StandardCopyOption.REPLACE_EXISTING);
      OwnCluster.master(alice.application()).destroyForcibly();
      alice.awaitTakeover(1);
      assertFalse(alice.text(), alice.text().contains("there is a Kerberos ticket again"));
      Files.copy(kerberos.resolve("alice.ticket"), ticket, StandardCopyOption.REPLACE_EXISTING);
      alice.await("there is a Kerberos ticket again");
      Files.createFile(go);

      alice.assertExit(0);
      assertAllIsOf("alice", alice);
      assertFalse(alice.text(), alice.text().contains("\tat "));
    }
  }

  @Test
  public void shouldLetNobodyElseEndAJob() throws Exception {
    try (TonyCommand alice = submit(CLUSTER.ticket("alice"), "sleep 600")) {
      alice.await("1/1 tasks running");
      String id = alice.application();
      try (TonyCommand bob = tony("bob", "kill", id)) {
        bob.assertExit(3);
        assertEquals("no trace, and what it did: " + bob.text(), 2, bob.lines().size());
        bob.await("asked YARN to end the application");
        bob.await("bob may not end " + id + ", which is another user's");
        assertEquals("RUNNING", CLUSTER.daemons().application(id).state());
      }
      alice.terminate();
      alice.assertExit(KILLED);
    }
  }

  @Test
  public void shouldLetThoseEndAJobWhomItsOwnerNames() throws Exception {
    try (TonyCommand alice =
        submit(
            CLUSTER.ticket("alice"),
            "sleep 600",
            "-conf",
            "tony.application.view-acls=bob",
            "-conf",
            "tony.application.modify-acls=bob")) {
      alice.await("1/1 tasks running");
      String id = alice.application();
      try (TonyCommand bob = tony("bob", "kill", id)) {
        bob.assertExit(0);
      }
      alice.assertExit(STOPPED);
      assertEquals("KILLED", CLUSTER.daemons().application(id).state());
    }
  }
}
