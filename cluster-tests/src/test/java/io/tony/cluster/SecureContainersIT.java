package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.RuleChain;
import org.junit.rules.TemporaryFolder;

/**
 * A secure cluster with all its parts: Kerberos, containers as their submitters' own users, logs
 * that are aggregated, pages of YARN's that want a login (SPNEGO), and two NameNodes and
 * ResourceManagers each.
 */
public class SecureContainersIT {
  private static final String NAME = "secure-containers";
  private static final SystemUsers USERS = new SystemUsers("tonyalice", "tonybob");
  private static final LinuxContainers CONTAINERS = new LinuxContainers(NAME);
  private static final String ALICE = USERS.name(0);
  private static final String BOB = USERS.name(1);

  private static final String KEYTAB_USER = "tony.keytab.user=hadoop/localhost";

  private static final SecureCluster CLUSTER =
      new SecureCluster(
              NAME,
              List.of(ALICE, BOB),
              CONTAINERS.settings(
                  "yarn.acl.enable=true",
                  "yarn.admin.acl=hadoop",
                  // The CapacityScheduler's own default is everybody.
                  "yarn.scheduler.capacity.root.acl_administer_queue= ",
                  "yarn.scheduler.capacity.root.default.acl_administer_queue= ",
                  "yarn.log-aggregation-enable=true",
                  "yarn.nodemanager.remote-app-log-dir=/logs"))
          .highlyAvailable();

  @ClassRule
  public static final RuleChain PARTS =
      RuleChain.outerRule(USERS).around(CONTAINERS).around(CLUSTER);

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(CLUSTER);

  private TonyCommand tony(Map<String, String> login, String command, String... arguments)
      throws IOException {
    Path root = folder.getRoot().toPath();
    // The programs look into it, and write there; JUnit keeps it to its own user.
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxrwxrwx"));
    return CLUSTER.tony(login, root, command, arguments);
  }

  private TonyCommand submit(String program) throws IOException {
    return tony(
        CLUSTER.ticket(ALICE), "submit", "-executes", program, "-conf", "tony.worker.instances=1");
  }

  @Test
  public void shouldShowTheLogsOfAJobThatRunsAndOfOneThatHasEnded() throws Exception {
    Path said = folder.getRoot().toPath().resolve("said");
    Path go = folder.getRoot().toPath().resolve("go");
    try (TonyCommand job =
        submit(
            "echo trained by $(id -un); touch "
                + said
                + "; until test -e "
                + go
                + "; do sleep 0.1; done")) {
      job.await("1/1 tasks running");
      while (!Files.exists(said)) {
        Thread.sleep(50); // within the test's limit
      }
      String id = job.application();
      assertShown(logs(CLUSTER.ticket(ALICE), id));
      assertShown(logs(Map.of(), id, "-conf", KEYTAB_USER, "-conf", keytab()));
      assertWantsALogin(job, "http://\\S+/node/");
      assertWantsALogin(job, "http://\\S+/proxy/");
      assertBobIsRefused(job);
      CLUSTER.daemons().failOverNameNode();
      CLUSTER.daemons().failOverResourceManager();
      Files.createFile(go);
      job.assertExit(0);

      CLUSTER.awaitNoLogsOnNodes(id);
      String aggregated = logs(CLUSTER.ticket(ALICE), id);
      assertShown(aggregated);
      assertTrue(aggregated, aggregated.contains("LogType:executor.log"));
      assertShown(logs(Map.of(), id, "-conf", KEYTAB_USER, "-conf", keytab()));
    }
  }

  /** Of the daemons' own user, who administers HDFS and YARN. */
  private static String keytab() {
    return "tony.keytab.location=" + CLUSTER.daemons().kerberos().resolve("hadoop.keytab");
  }

  private String logs(Map<String, String> login, String application, String... more)
      throws Exception {
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.addAll(List.of(application, "worker:0"));
    try (TonyCommand logs = tony(login, "logs", arguments.toArray(String[]::new))) {
      logs.assertExit(0);
      return logs.text();
    }
  }

  /** By HDFS, which has the event log; by the node; and, with the application, by YARN. */
  private void assertBobIsRefused(TonyCommand job) throws Exception {
    String id = job.application();
    String alices = "inode=\"/user/" + ALICE + "/.tony/history";
    try (TonyCommand bob = tony(CLUSTER.ticket(BOB), "logs", id, "worker:0")) {
      bob.assertExit(3);
      assertEquals(bob.text(), 1, bob.lines().size());
      assertTrue(bob.text(), bob.text().contains("Permission denied: user=" + BOB));
      assertTrue(bob.text(), bob.text().contains(alices));
    }
    try (TonyCommand bob = tony(CLUSTER.ticket(BOB), "status", id)) {
      bob.assertExit(0);
      assertTrue(bob.text(), bob.text().contains("its tasks are not shown: HDFS says: Permission"));
    }
    Matcher log =
        Pattern.compile("(http://[^/]+)/node/(containerlogs/container_\\w+)/").matcher(job.text());
    assertTrue(job.text(), log.find());
    String file = log.group(1) + "/ws/v1/node/" + log.group(2) + "/stdout";
    CLUSTER.run(CLUSTER.ticket(BOB), RefusedPage.class, file);
  }

  private static void assertShown(String logs) {
    assertTrue(logs, logs.contains("trained by " + ALICE));
    assertFalse(logs, logs.contains("not to be had"));
  }

  private static void assertWantsALogin(TonyCommand job, String page) throws Exception {
    Matcher link = Pattern.compile(page).matcher(job.text());
    assertTrue(job.text(), link.find());
    HttpURLConnection anonymous =
        (HttpURLConnection) URI.create(link.group()).toURL().openConnection();
    assertEquals(HttpURLConnection.HTTP_UNAUTHORIZED, anonymous.getResponseCode());
  }

  @Test
  public void shouldOpenTheLinksThatTheDoctorTries() throws Exception {
    CLUSTER.daemons().failOverResourceManager();
    try (TonyCommand doctor = tony(CLUSTER.ticket(ALICE), "doctor")) {
      doctor.assertExit(0);
      String configuration = doctor.await("ResourceManager ");
      assertTrue(configuration, configuration.matches(".*: HDFS hdfs://mini, .*:\\d+, .*:\\d+ .*"));
      String links = doctor.await(" links ");
      assertTrue(doctor.text(), links.startsWith("ok "));
      assertTrue(links, links.contains("/proxy/" + doctor.application()));
      assertTrue(links, links.contains("/containerlogs/"));
    }
  }
}
