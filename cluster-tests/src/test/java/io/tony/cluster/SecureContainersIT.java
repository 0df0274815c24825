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
import java.util.List;
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

  private TonyCommand tony(String user, String command, String... arguments) throws IOException {
    Path root = folder.getRoot().toPath();
    // The programs look into it; JUnit keeps it to its own user.
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
    return CLUSTER.tony(CLUSTER.ticket(user), root, command, arguments);
  }

  @Test
  public void shouldShowTheLogsOfAJobThatRunsAndOfOneThatHasEnded() throws Exception {
    Path go = folder.getRoot().toPath().resolve("go");
    try (TonyCommand job =
        tony(
            ALICE,
            "submit",
            "-executes",
            "echo trained by $(id -un); until test -e " + go + "; do sleep 0.1; done",
            "-conf",
            "tony.worker.instances=1")) {
      job.await("1/1 tasks running");
      String id = job.application();
      assertShown(logs(ALICE, id));
      assertWantsALogin(job, "http://\\S+/node/");
      assertWantsALogin(job, "http://\\S+/proxy/");
      CLUSTER.daemons().failOverNameNode();
      CLUSTER.daemons().failOverResourceManager();
      Files.createFile(go);
      job.assertExit(0);

      CLUSTER.awaitNoLogsOnNodes(id);
      String aggregated = logs(ALICE, id);
      assertShown(aggregated);
      assertTrue(aggregated, aggregated.contains("LogType:executor.log"));
    }
  }

  private String logs(String user, String application) throws Exception {
    try (TonyCommand logs = tony(user, "logs", application, "worker:0")) {
      logs.assertExit(0);
      return logs.text();
    }
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
    try (TonyCommand doctor = tony(ALICE, "doctor")) {
      doctor.assertExit(0);
      String configuration = doctor.await("ResourceManager ");
      assertTrue(configuration, configuration.matches(".*: HDFS hdfs://mini, .*:\\d+, .*:\\d+ .*"));
      String links = doctor.await(" links ");
      assertTrue(doctor.text(), links.startsWith("ok "));
      assertTrue(links, links.contains("/proxy/" + doctor.application()));
      assertTrue(links, links.contains("/containerlogs/"));
    }
  }

  @Test
  public void shouldTellBobNothingOfAlicesJob() throws Exception {
    try (TonyCommand job =
        tony(ALICE, "submit", "-executes", "true", "-conf", "tony.worker.instances=1")) {
      job.assertExit(0);
      try (TonyCommand bob = tony(BOB, "logs", job.application(), "worker:0")) {
        bob.assertExit(3);
        assertEquals(bob.text(), 1, bob.lines().size());
        bob.await("Permission denied: user=" + BOB);
      }
    }
  }
}
