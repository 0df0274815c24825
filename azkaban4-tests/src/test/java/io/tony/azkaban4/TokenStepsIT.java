package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import io.tony.mini.MiniClusterProcess;
import io.tony.testing.FlowFolder;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * Azkaban's own HadoopSecurityManager, with its Hadoop 2.10, takes the tokens of the steps' users
 * on a cluster with Kerberos and a newer Hadoop. TonY's client has no keytab and no ticket.
 */
public final class TokenStepsIT {

  /** YARN's tokens end after this time, unless somebody renews them. */
  private static final int RENEWAL_SECONDS = 15;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  @Rule(order = 1)
  public final LeavesNothing leavesNothing = LeavesNothing.on(() -> cluster);

  private static MiniClusterProcess cluster;
  private static Azkaban4 azkaban;

  @BeforeClass
  public static void start() throws Exception {
    cluster =
        TestCluster.start(
            "secure",
            Stream.concat(
                    Stream.of("--kerberos", "alice,bob,azkaban"),
                    Stream.of(
                        TestCluster.settings(
                            "hadoop.proxyuser.azkaban.hosts=*",
                            "hadoop.proxyuser.azkaban.users=alice",
                            "yarn.resourcemanager.delegation.token.renew-interval="
                                + RENEWAL_SECONDS * 1_000)))
                .toArray(String[]::new));
    Files.writeString(
        Path.of(cluster.property("conf"), "mapred-site.xml"),
        "<configuration><property><name>mapreduce.framework.name</name><value>yarn</value>"
            + "</property></configuration>");
    Path state = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "azkaban");
    azkaban = new Azkaban4(state, cluster);
    String krb5Conf = TonyCommand.krb5Conf(cluster);
    azkaban
        .jobType()
        .set(
            "tony.client.jvm.args=-Xmx96m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 " + krb5Conf,
            "tony.task.default.jvm.opts=" + krb5Conf);
    azkaban
        .jobType()
        .setPrivate(
            "azkaban.should.proxy=true",
            "tony.client.login=tokens",
            "proxy.user=azkaban",
            "proxy.keytab.location=" + cluster.kerberos().resolve("azkaban.keytab"),
            "azkaban.native.lib=" + nativeLibrary(azkaban.state().resolve("native")));
    // Hadoop 2.10 asks Java for its realm by reflection.
    String realm = "--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED";
    azkaban.onPlatform(Path.of("target/platform"), krb5Conf, realm).start();
  }

  /** Stands in for Azkaban's own setuid program, which gives the file to the step's user. */
  private static Path nativeLibrary(Path library) throws Exception {
    Files.createDirectory(library);
    Path program = library.resolve("execute-as-user");
    Files.writeString(program, "#!/bin/sh\nshift\n[ \"$1\" = chown ] || exec \"$@\"\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    return library;
  }

  @AfterClass
  public static void stop() throws Exception {
    azkaban.close();
    cluster.close();
  }

  private Execution execute(String user, String program) throws Exception {
    FlowFolder flow = FlowFolder.in(temporary.getRoot().toPath().resolve("flow"));
    flow.job(
        "train",
        FlowFolder.tony("executes=" + program, "tony.worker.instances=1", "user.to.proxy=" + user));
    azkaban.api().createProject(user);
    azkaban.api().upload(user, flow.folder());
    return new Execution(azkaban, azkaban.api().execute(user, "train", new FlowOptions().fields()));
  }

  @Test
  public void shouldActWithTheTokensThatAzkabanTakesForLongerThanTheyHoldUnrenewed()
      throws Exception {
    Execution execution =
        execute(
            "alice",
            "sleep "
                + 2 * RENEWAL_SECONDS
                + "; \"$JAVA_HOME/bin/java\" "
                + TonyCommand.krb5Conf(cluster)
                + " org.apache.hadoop.fs.FsShell -touchz /user/alice/made");

    execution.assertEnds("SUCCEEDED");

    execution.assertLogged("train", "Azkaban's HadoopSecurityManager takes tokens for alice.");
    execution.assertLogged("train", "the tokens that this client was given hold until");
    assertEquals("alice", cluster.application(execution.application("train")).user());
    assertEquals("alice", cluster.hdfsOwner("/user/alice/made"));
    assertEquals(
        "what Azkaban itself did on HDFS",
        List.of(),
        cluster.audit().stream().filter(line -> line.contains("ugi=azkaban")).toList());
    assertFalse(
        "what Azkaban's manager would log of all private properties",
        execution.log("train").contains("proxy.keytab.location"));
    assertEquals("files with tokens", List.of(), azkaban.attemptFolders());
  }

  @Test
  public void shouldSayInOneSentenceThatAzkabanDoesNotLogIn() throws Exception {
    Path settings = azkaban.jobType().jobTypes().resolve("tony/private.properties");
    String before = Files.readString(settings);
    azkaban.jobType().setPrivate("proxy.keytab.location=/nonexistent");
    azkaban.reloadJobTypes();
    try {
      Execution execution = execute("bob", "true");

      execution.assertEnds("FAILED");

      execution.assertLogged(
          "train",
          "Azkaban's azkaban.security.HadoopSecurityManager_H_2_0 took no tokens for bob (");
      assertEquals("files with tokens", List.of(), azkaban.attemptFolders());
    } finally {
      Files.writeString(settings, before);
      azkaban.reloadJobTypes();
    }
  }
}
