package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Jobs on a node without Java. Their Java is in an archive on HDFS, which the node keeps. */
public class JavaArchiveIT {
  private static final String NO_JAVA = "/no/such/java";

  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster(
          "mini-java",
          "--node-managers",
          "1",
          "--set",
          "yarn.nodemanager.admin-env=JAVA_HOME=" + NO_JAVA);

  @ClassRule public static final TemporaryFolder made = new TemporaryFolder();

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(cluster);

  private static String option;

  @BeforeClass
  public static void makeArchive() throws Exception {
    Path archive = JavaArchive.make(made.getRoot().toPath());
    option = JavaArchive.put(cluster, archive, JavaArchive.PATH, "644");
  }

  private TonyCommand submit(String program, String... arguments) throws IOException {
    List<String> all =
        new ArrayList<>(List.of("-executes", program, "-conf", "tony.worker.instances=1"));
    all.addAll(List.of(arguments));
    return cluster.submit(folder.getRoot().toPath(), all.toArray(String[]::new));
  }

  /** Each Java that the node keeps for all users, with the time at which it was unpacked. */
  private static Map<Path, Object> javasOfNode() throws IOException {
    Path cache = cluster.folder().toRealPath().resolve("yarn/nodes/0/local/filecache");
    Map<Path, Object> javas = new TreeMap<>();
    try (Stream<Path> files = Files.walk(cache)) {
      for (Path java : files.filter(file -> file.endsWith("bin/java")).toList()) {
        javas.put(java, Files.getAttribute(java, "unix:ctime"));
      }
    }
    return javas;
  }

  private static Path java(ProcessHandle process) {
    return Path.of(process.info().command().orElseThrow());
  }

  @Test
  public void shouldNameTheOptionWhereANodeHasNoJava() throws Exception {
    try (TonyCommand tony = submit("true")) {
      tony.assertExit(3);
      tony.await(
          "(AM_LOST): the node has no Java for the ApplicationMaster ("
              + NO_JAVA
              + "/bin/java: No such file): set tony.java.archive to an archive of Java 17");
    }
  }

  @Test
  public void shouldRefuseAnArchiveThatIsNotThere() throws Exception {
    int before = cluster.applications();
    try (TonyCommand tony =
        submit("true", "-conf", "tony.java.archive=hdfs:///apps/tony/jdk11.tar.gz")) {
      tony.assertExit(2);
      tony.await("tony.java.archive is hdfs:///apps/tony/jdk11.tar.gz, which does not exist");
    }
    assertEquals(before, cluster.applications());
  }

  @Test
  public void shouldRunOnTheJavaOfAnArchiveThatTheNodeKeeps() throws Exception {
    Path go = folder.getRoot().toPath().resolve("go");
    String program =
        "\"$JAVA_HOME/bin/java\" org.apache.hadoop.fs.FsShell -ls "
            + JavaArchive.PATH
            + " && readlink -f \"$JAVA_HOME\" && while ! test -e "
            + go
            + "; do sleep 0.1; done";
    Map<Path, Object> kept;
    try (TonyCommand tony = submit(program, "-conf", option)) {
      tony.await("1/1 tasks running");
      String application = tony.application();
      kept = javasOfNode();
      assertEquals(kept.toString(), 1, kept.size());
      Path java = kept.keySet().iterator().next();
      assertTrue(
          java.toString(), java.toString().matches(".*/filecache/\\d+/jdk17.tar.gz/jdk17/.*"));
      assertEquals(java, java(OwnCluster.master(application)));
      assertEquals(java, java(OwnCluster.executor(application)));
      Files.createFile(go);
      tony.assertExit(0);
      JobEvent allocated = cluster.events(application, JobEvent.Type.TASK_ALLOCATED).get(0);
      String stdout = OwnCluster.stdout(allocated);
      assertTrue(stdout, stdout.contains(" " + JavaArchive.PATH + "\n"));
      assertTrue(stdout, stdout.contains("\n" + java.getParent().getParent() + "\n"));
    }

    try (TonyCommand doctor =
        cluster.tony(
            folder.getRoot().toPath(), "doctor", "-conf", "tony.am.memory=256m", "-conf", option)) {
      doctor.assertExit(0);
      assertTrue(
          doctor.await("ok       nodes"),
          doctor.text().contains("Java " + System.getProperty("java.version")));
    }
    assertEquals("the node has fetched it again", kept, javasOfNode());
  }

  /** Also an archive without a top folder, and a program with a Java of its own. */
  @Test
  public void shouldKeepAnArchiveThatNotEverybodyMayReadForItsUserAlone() throws Exception {
    Path folderOfArchive = made.getRoot().toPath();
    JavaArchive.run(folderOfArchive, "tar cf private.tar -C jdk17 .");
    String ofUser =
        JavaArchive.put(
            cluster, folderOfArchive.resolve("private.tar"), "/apps/tony/private.tar", "600");
    Path go = folder.getRoot().toPath().resolve("go");
    String program = "echo \"$JAVA_HOME\"; while ! test -e " + go + "; do sleep 0.1; done";
    try (TonyCommand tony =
        submit(program, "-shell_env", "JAVA_HOME=/opt/own java", "-conf", ofUser)) {
      tony.await("1/1 tasks running");
      String application = tony.application();
      Path java = java(OwnCluster.executor(application));
      String path = java.toString();
      assertTrue(path, path.matches(".*/usercache/[^/]+/filecache/\\d+/private.tar/bin/java"));
      assertEquals(java, java(OwnCluster.master(application)));
      Files.createFile(go);
      tony.assertExit(0);
      JobEvent allocated = cluster.events(application, JobEvent.Type.TASK_ALLOCATED).get(0);
      assertTrue(
          OwnCluster.stdout(allocated), OwnCluster.stdout(allocated).contains("/opt/own java\n"));
    }
  }
}
