package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.event.JobFact;
import io.tony.eventlog.EventJson;
import io.tony.eventlog.EventLog;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * Two users of a cluster without Kerberos, whose containers run as a third: the user of the
 * NodeManager. What a job does in HDFS and YARN, its submitter does.
 */
public class UsersIT {
  @ClassRule public static final OwnCluster CLUSTER = new OwnCluster("users");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(CLUSTER);

  /** Leaves a file in the home of whom Hadoop takes the program for. */
  private static final String WRITE =
      "\"$JAVA_HOME/bin/java\" org.apache.hadoop.fs.FsShell -touchz";

  @Before
  public void makeHomes() throws Exception {
    for (String user : List.of("alice", "bob")) {
      CLUSTER.daemons().makeHome(user);
    }
  }

  private TonyCommand submit(String user, String file, String... more) throws IOException {
    java.nio.file.Path own = Files.createDirectories(folder.getRoot().toPath().resolve(user));
    List<String> arguments =
        new ArrayList<>(
            List.of("-executes", WRITE + " " + file, "-conf", "tony.worker.instances=1"));
    arguments.addAll(List.of(more));
    return CLUSTER.submitAs(user, own, arguments.toArray(String[]::new));
  }

  private static void assertOwned(String user, String... paths) throws Exception {
    for (String path : paths) {
      assertEquals(path, user, CLUSTER.daemons().hdfsOwner(path));
    }
  }

  @Test
  public void shouldDoAllAsTheSubmitterWhoeverTheContainersRunAs() throws Exception {
    assertNotEquals("alice", System.getProperty("user.name"));

    try (TonyCommand alice = submit("alice", "of-a-program");
        TonyCommand bob = submit("bob", "of-a-program")) {
      alice.assertExit(0);
      bob.assertExit(0);
      for (TonyCommand job : List.of(alice, bob)) {
        String user = job == alice ? "alice" : "bob";
        String id = job.application();
        String history = "/user/" + user + "/.tony/history/" + id;
        assertEquals(user, CLUSTER.daemons().application(id).user());
        assertEquals("SUCCEEDED", CLUSTER.daemons().application(id).finalStatus());
        assertOwned(user, history, history + "/events.jsonl", "/user/" + user + "/of-a-program");
      }
    }
    assertEquals(
        "what the containers' own user has",
        List.of(),
        CLUSTER.daemons().hdfsNames(CLUSTER.daemons().hdfsHome()));
  }

  @Test
  public void shouldTrainOnAsTheSubmitterWhenItsApplicationMasterIsLost() throws Exception {
    java.nio.file.Path go = folder.getRoot().toPath().resolve("go");
    String wait = "until test -e " + go + "; do sleep 0.1; done; ";
    try (TonyCommand alice =
        submit(
            "alice",
            "after-a-failover",
            "-conf",
            "tony.worker.command=" + wait + WRITE + " late")) {
      alice.await("1/1 tasks running");
      CLUSTER.daemons().awaitReported(alice.application(), 2);
      OwnCluster.master(alice.application()).destroyForcibly();
      alice.awaitTakeover(1);
      Files.createFile(go);

      alice.assertExit(0);
      assertOwned("alice", "/user/alice/late");
    }
  }

  @Test
  public void shouldKeepAJobFromAnotherUser() throws Exception {
    try (TonyCommand alice = submit("alice", "unused", "-conf", "tony.worker.command=sleep 600")) {
      alice.await("1/1 tasks running");
      String id = alice.application();
      Path log = new Path("/user/alice/.tony/history", id + "/events.jsonl");
      Path staging = new Path("/user/alice/.tony/staging", id);
      try (FileSystem own = fileSystem("alice");
          FileSystem other = fileSystem("bob")) {
        for (Path file : List.of(log, new Path(staging, "credentials"))) {
          own.open(file).close();
          assertThrows(AccessControlException.class, () -> other.open(file).close());
        }
        assertThrows(AccessControlException.class, () -> other.listStatus(staging));
      }
      alice.terminate();
      assertEquals(alice.text(), 143, alice.exitCode());
    }
  }

  /** What another user finds out by a look at YARN: the ids of applications are consecutive. */
  private static void forge(FileSystem stranger, Path history, ApplicationId last)
      throws IOException {
    JobEvent end =
        new JobFact.Finished(JobResult.succeeded("bob says so")).toEvent(Instant.EPOCH, 0);
    for (int i = 1; i <= 5; i++) {
      ApplicationId next = ApplicationId.newInstance(last.getClusterTimestamp(), last.getId() + i);
      Path log = new Path(EventLog.folder(history, next.toString()), "events.jsonl");
      try (FSDataOutputStream out = stranger.create(log)) {
        out.writeBytes(EventJson.write(end) + "\n");
      }
    }
  }

  @Test
  public void shouldBelieveNoLogOfAnotherUserInAHistoryThatAllShare() throws Exception {
    Path history = new Path("/shared-history");
    String shared = "tony.history.location=" + history;
    try (FileSystem superuser = FileSystem.newInstance(CLUSTER.configuration());
        FileSystem bob = fileSystem("bob")) {
      FileSystem.mkdirs(superuser, history, new FsPermission("1777"));
      String last;
      try (TonyCommand before = submit("alice", "before", "-conf", shared)) {
        before.assertExit(0);
        last = before.application();
      }
      forge(bob, history, ApplicationId.fromString(last));

      try (TonyCommand alice = submit("alice", "never", "-conf", shared)) {
        assertNotEquals(alice.text(), 0, alice.exitCode());
        String text = alice.text();
        assertTrue(text, text.contains(" belongs to bob and not to alice"));
        assertTrue(text, text.contains("tony.history.location"));
        assertFalse(text, text.contains("SUCCEEDED"));
        assertTrue(text, text.contains("(AM_LOST)"));
        assertEquals("FAILED", CLUSTER.daemons().application(alice.application()).finalStatus());
      }
      try (FileSystem own = fileSystem("alice")) {
        assertTrue(own.exists(new Path("/user/alice/before")));
        assertFalse(own.exists(new Path("/user/alice/never")));
      }
      superuser.delete(history, true);
    }
  }

  @Test
  public void shouldKeepAHistoryForEachUserBelowOneFolder() throws Exception {
    String history = "tony.history.location=/histories/${user}";
    try (FileSystem superuser = FileSystem.newInstance(CLUSTER.configuration())) {
      Path own = new Path("/histories/alice");
      FileSystem.mkdirs(superuser, own, new FsPermission("0750"));
      superuser.setOwner(own, "alice", "history");

      try (TonyCommand alice = submit("alice", "of-own-history", "-conf", history);
          TonyCommand bob = submit("bob", "of-no-history", "-conf", history)) {
        alice.assertExit(0);
        assertNotEquals(bob.text(), 0, bob.exitCode());
        assertTrue(bob.text(), bob.text().contains("/histories, which belongs to "));
        assertTrue(bob.text(), bob.text().contains("(AM_LOST)"));
        assertOwned("alice", "/histories/alice/" + alice.application() + "/events.jsonl");
      }
      superuser.delete(own.getParent(), true);
    }
  }

  private static FileSystem fileSystem(String user) throws Exception {
    Configuration conf = CLUSTER.configuration();
    return FileSystem.newInstance(FileSystem.getDefaultUri(conf), conf, user);
  }
}
