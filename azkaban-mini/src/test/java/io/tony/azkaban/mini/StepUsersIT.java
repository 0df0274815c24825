package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import azkaban.executor.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Before;
import org.junit.Test;

/** As whom a step acts in Hadoop, and which files of Azkaban's machine it may ship. */
public class StepUsersIT extends ClusterFlowTest {
  private static final String OWN_USER = System.getProperty("user.name");

  /** Leaves a file in the home of whom Hadoop takes the program for. */
  private static final String WRITE =
      "executes=\"$JAVA_HOME/bin/java\" org.apache.hadoop.fs.FsShell -touchz written-by-a-step";

  @Before
  public void makeHome() throws Exception {
    cluster().makeHome("alice");
  }

  private FlowResult run(String... lines) throws Exception {
    files().job("train", tony(lines));
    return run(files().folder());
  }

  @Test
  public void shouldRunAStepAsTheUserThatItNames() throws Exception {
    plugin().setPrivate("azkaban.should.proxy.user=true");

    FlowResult result = run(WRITE, "tony.worker.instances=1", "user.to.proxy=alice");

    assertEquals(log("train"), Status.SUCCEEDED, result.status());
    assertLogged("train", "The job runs as alice (user.to.proxy).");
    String id = application("train").id();
    assertEquals("alice", application("train").user());
    assertEquals("alice", cluster().hdfsOwner("/user/alice/written-by-a-step"));
    assertEquals("alice", cluster().hdfsOwner("/user/alice/.tony/history/" + id));
    String events = cluster().hdfsText("/user/alice/.tony/history/" + id + "/events.jsonl");
    assertEquals(events, 1, events.split("JOB_FINISHED", -1).length - 1);
  }

  @Test
  public void shouldRunAsAzkabansOwnUserWhereTheAdministratorDoesNotSayOtherwise()
      throws Exception {
    FlowResult result =
        run(
            WRITE,
            "tony.worker.instances=1",
            "user.to.proxy=alice",
            "azkaban.should.proxy.user=true");

    assertEquals(log("train"), Status.SUCCEEDED, result.status());
    assertLogged("train", "user.to.proxy=alice has no effect: the job type's private.properties");
    assertEquals(OWN_USER, application("train").user());
    assertEquals(OWN_USER, cluster().hdfsOwner(cluster().hdfsHome() + "/written-by-a-step"));
  }

  @Test
  public void shouldRefuseAStepThatNamesNobodyOrDecidesForItself() throws Exception {
    plugin().setPrivate("azkaban.should.proxy.user=true");
    int before = applications();

    files()
        .job("nobody", tony(WRITE, "tony.worker.instances=1"))
        .job("self", tony(WRITE, "user.to.proxy=alice", "env.HADOOP_USER_NAME=hdfs"))
        .job("end", "type=noop", "dependencies=nobody,self");
    FlowResult result = run(files().folder());

    assertEquals(Status.FAILED, result.status());
    assertLogged("nobody", "The job names no user to run as: set user.to.proxy");
    assertLogged("self", "[env.HADOOP_USER_NAME] would decide as whom");
    assertEquals(before, applications());
  }

  @Test
  public void shouldShipNothingOfAzkabansOwn() throws Exception {
    Path conf = Files.createDirectories(root().resolve("azkaban/conf"));
    Path users = Files.writeString(conf.resolve("azkaban-users.xml"), "password=azkaban");
    int before = applications();

    String one = "tony.worker.instances=1";
    String climb = "tony.worker.resources=../../../azkaban/conf/azkaban-users.xml";
    files()
        .job("named", tony(WRITE, one, "tony.containers.resources=" + users))
        .job("climbs", tony(WRITE, one, climb))
        .job("reads", tony(WRITE, one, "conf_file=" + users))
        .job("moves", tony(WRITE, one, "working.dir=" + conf, "src_dir=."))
        .job("end", "type=noop", "dependencies=named,climbs,reads,moves");
    FlowResult result = run(files().folder());

    assertEquals(Status.FAILED, result.status());
    for (String job : new String[] {"named", "climbs", "reads"}) {
      assertLogged(job, "which leads out of the job's folder");
    }
    assertLogged("moves", "which is not in the execution's folder");
    assertEquals(before, applications());
    for (String job : new String[] {"named", "climbs", "reads", "moves"}) {
      assertEquals(job, Status.FAILED, result.job(job).status());
      assertFalse(log(job), log(job).contains("password=azkaban"));
    }
  }

  @Test
  public void shouldShipNothingThatAnEarlierStepHasLinked() throws Exception {
    Path conf = Files.createDirectories(root().resolve("azkaban/conf"));
    Files.writeString(conf.resolve("azkaban-users.xml"), "password=azkaban");
    int before = applications();

    files()
        .job("link", "type=command", "command=ln -s " + conf + " linked/deep")
        .job("linked", tony(WRITE, "src_dir=linked", "dependencies=link"))
        .file("linked/train.py", "print()");
    FlowResult result = run(files().folder());

    assertEquals(Status.FAILED, result.job("linked").status());
    assertLogged("linked", "deep, which leads out of the job's folder");
    assertEquals(before, applications());
  }

  @Test
  public void shouldReadFromTheClustersFileSystemsOnly() throws Exception {
    int before = applications();

    String one = "tony.worker.instances=1";
    files()
        .job("ships", tony(WRITE, one, "tony.containers.resources=webhdfs://localhost:1/data"))
        .job("reads", tony(WRITE, one, "conf_file=s3a://secrets/tony.xml"))
        .job("trusts", tony(WRITE, one, "other_namenodes=hdfs://localhost:1"))
        .job("lists", tony(WRITE, one, "hdfs_classpath=hdfs://localhost:1/jars"))
        .job("end", "type=noop", "dependencies=ships,reads,trusts,lists");
    FlowResult result = run(files().folder());

    assertEquals(Status.FAILED, result.status());
    for (String job : new String[] {"ships", "reads", "trusts", "lists"}) {
      assertLogged(job, "which lies on none of the cluster's file systems: put it onto hdfs://");
    }
    assertEquals(before, applications());
  }

  @Test
  public void shouldShipWhatTheAdministratorAllows() throws Exception {
    Path shared = Files.createDirectories(root().resolve("shared"));
    Files.writeString(shared.resolve("vocabulary.txt"), "words");
    plugin().set("tony.client.allowed-paths=" + shared);

    FlowResult result =
        run(
            "tony.worker.instances=1",
            "executes=grep -q words vocabulary.txt",
            "tony.containers.resources=" + shared.resolve("vocabulary.txt"));

    assertEquals(log("train"), Status.SUCCEEDED, result.status());
  }
}
