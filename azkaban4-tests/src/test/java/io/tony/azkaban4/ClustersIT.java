package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.mini.MiniClusterProcess;
import io.tony.testing.FlowFolder;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.ExternalResource;
import org.junit.rules.TemporaryFolder;

/**
 * On which of two clusters a step runs, in an Azkaban that is set up as install.md says. All steps
 * run at once: one of them ends after more than a minute, because the job type looks for its
 * application for so long.
 */
public final class ClustersIT {

  @ClassRule(order = 0)
  public static final TemporaryFolder TEMPORARY = new TemporaryFolder();

  /** Within the folder, and outside of what looks at Azkaban and the cluster. */
  @ClassRule(order = 1)
  public static final ExternalResource STOPPED =
      new ExternalResource() {
        @Override
        protected void after() {
          stop();
        }
      };

  @ClassRule(order = 2)
  public static final LeavesNothing FIRST_IS_IDLE = LeavesNothing.on(Azkaban4Test::cluster);

  @ClassRule(order = 3)
  public static final LeavesNothing SECOND_IS_IDLE = LeavesNothing.on(ClustersIT::second);

  @ClassRule(order = 4)
  public static final LeavesNoClient NO_CLIENT = new LeavesNoClient(ClustersIT::azkaban);

  private static MiniClusterProcess second;
  private static TwoClusters clusters;
  private static Azkaban4 azkaban;

  /** Of the project {@code vision}. */
  private static Execution steps;

  /** Of the project {@code etl}, which may not use the second cluster where steps choose. */
  private static Execution stepsOfOthers;

  private static String endedApplication;
  private static List<String> clientEnvironment;

  private static synchronized MiniClusterProcess second() throws IOException, InterruptedException {
    if (second == null) {
      second = TestCluster.start("mini-second");
    }
    return second;
  }

  private static synchronized Azkaban4 azkaban() throws IOException, InterruptedException {
    if (azkaban == null) {
      clusters =
          new TwoClusters(
              TEMPORARY.getRoot().toPath().toRealPath(), Azkaban4Test.cluster(), second());
      azkaban = clusters.azkaban();
    }
    return azkaban;
  }

  private static void stop() {
    if (azkaban != null) {
      azkaban.close();
    }
    if (second != null) {
      try {
        second.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @BeforeClass
  public static void runSteps() throws Exception {
    String conf = second().property("conf");
    steps =
        execute(
            "vision",
            flow("vision")
                .job("retried", retried())
                .job("routed", routed("second"))
                .job(
                    "chooses",
                    routed(
                        "first",
                        "env.HADOOP_CONF_DIR=" + conf,
                        "env.YARN_CONF_DIR=" + conf,
                        "hadoop.conf.dir=" + conf,
                        "azkaban.job.cluster.id=second",
                        "tony.client.cluster.prod.hadoop.conf.dir=" + conf))
                .job("as-hdfs", routed("second", "env.HADOOP_USER_NAME=hdfs"))
                .job("silent", routed("silent"))
                .job("by-default", step("named"))
                .job("on-gpu", step("named", "tony.cluster=gpu"))
                .job("misspelt", step("named", "tony.cluster=gpus")));
    stepsOfOthers =
        execute(
            "etl",
            flow("etl")
                .job("closed", step("named", "tony.cluster=gpu"))
                .job(
                    "forged",
                    step(
                        "named",
                        "tony.cluster=gpu",
                        "azkaban.flow.projectname=vision",
                        "azkaban.link.workflow.url=http://a/manager?project=vision&flow=end"))
                .job(
                    "asks-router",
                    step("named", "job.dependency.components=hadoop", "route.to=second")));
    loseApplication("retried");
    steps.awaitEnd();
    stepsOfOthers.awaitEnd();
  }

  private static FlowFolder flow(String project) throws IOException {
    return FlowFolder.in(TEMPORARY.getRoot().toPath().resolve(project));
  }

  private static String[] step(String jobType, String... lines) {
    List<String> all = new ArrayList<>(List.of(FlowFolder.tony(Azkaban4Test.ONE_WORKER)));
    all.removeIf(line -> line.startsWith("type="));
    all.add("type=" + jobType);
    all.addAll(List.of(lines));
    if (all.stream().noneMatch(line -> line.startsWith("executes="))) {
      all.add("executes=true");
    }
    return all.toArray(String[]::new);
  }

  private static String[] routed(String clustersOfAttempts, String... lines) {
    List<String> all = new ArrayList<>(List.of("route.to=" + clustersOfAttempts));
    all.addAll(List.of(lines));
    return step("tony", all.toArray(String[]::new));
  }

  /** Its first attempt never ends by itself. */
  private static String[] retried() {
    return routed(
        "second,first",
        "retries=1",
        "task_env.ATTEMPT=${azkaban.job.attempt}",
        "executes=test $ATTEMPT = 1 || sleep 5151");
  }

  private static Execution execute(String project, FlowFolder files)
      throws IOException, InterruptedException {
    String[] names = files.folder().toFile().list();
    String jobs =
        Arrays.stream(names)
            .map(name -> name.substring(0, name.length() - ".job".length()))
            .collect(Collectors.joining(","));
    files.job("end", "type=noop", "dependencies=" + jobs);
    AzkabanApi api = azkaban().api();
    api.createProject(project);
    api.upload(project, files.folder());
    return new Execution(
        azkaban(), api.execute(project, "end", new FlowOptions().finishPossible().fields()));
  }

  /** Kills all clients of a job's first attempt, which then does not know how it did. */
  private static void loseApplication(String job) throws Exception {
    steps.awaitLine(job, " submitted to queue ");
    endedApplication = steps.application(job);
    boolean retried = false;
    while (!retried && !steps.hasEnded()) {
      for (ProcessHandle client : azkaban().clients()) {
        if (client.info().commandLine().orElse("").contains("/.tony-" + job + "-0-")) {
          if (clientEnvironment == null) {
            clientEnvironment = environment(client);
          }
          client.destroyForcibly();
        }
      }
      Thread.sleep(200); // nobody tells when the next client starts
      retried = steps.attempts(job).size() > 1;
    }
  }

  private static List<String> environment(ProcessHandle process) throws IOException {
    return List.of(Files.readString(Path.of("/proc/" + process.pid() + "/environ")).split("\0"));
  }

  // ---- A router ----

  @Test
  public void shouldRunAStepOnTheClusterThatTheRouterChose() throws Exception {
    assertRan(steps, "routed", second(), "second (Azkaban's router chose it)");
  }

  @Test
  public void shouldStartTheClientWithTheHadoopOfItsClusterOnly() throws Exception {
    String conf = second().property("conf");
    String home = clusters.home("second").toString();
    String classpath =
        clientEnvironment.stream().filter(each -> each.startsWith("CLASSPATH=")).findAny().get();

    assertTrue(clientEnvironment.toString(), clientEnvironment.contains("HADOOP_CONF_DIR=" + conf));
    assertTrue(clientEnvironment.toString(), clientEnvironment.contains("HADOOP_HOME=" + home));
    assertTrue(classpath, classpath.contains(home + "/share/hadoop/common/*"));
    assertFalse(classpath, classpath.contains(clusters.first().property("conf")));
    assertFalse(classpath, classpath.contains(clusters.home("first").toString()));
  }

  @Test
  public void shouldNotLetAStepChooseAnotherClusterThanTheRouter() throws Exception {
    assertRan(steps, "chooses", clusters.first(), "first (Azkaban's router chose it)");
  }

  @Test
  public void shouldRefuseAStepOfARoutedClusterThatActsAsAnother() throws Exception {
    assertRefused(
        steps,
        "as-hdfs",
        "[env.HADOOP_USER_NAME] would decide as whom, where or how TonY's client acts, which is not"
            + " a job's to say: remove it.");
  }

  @Test
  public void shouldSayWhatTheAdministratorOfTheRouterHasLeftOut() throws Exception {
    assertRefused(
        steps,
        "silent",
        "Azkaban's router chose the cluster silent for this step, and the job type cannot believe"
            + " what the job's properties say of it: the administrator adds env.HADOOP_CONF_DIR to"
            + " azkaban.plugin.load.override.props in azkaban.properties, and sets"
            + " env.HADOOP_CONF_DIR in the cluster.properties of each cluster.");
  }

  @Test
  public void shouldEndTheApplicationOfAnAttemptThatIsRetriedOnAnotherCluster() throws Exception {
    String where = "second (" + second().property("conf") + ")";

    assertEquals(List.of("FAILED", "SUCCEEDED"), steps.attempts("retried"));
    assertEquals("KILLED", second().application(endedApplication).state());
    String log = steps.log("retried", 0);
    assertTrue(log, log.contains("The application may still run"));
    steps.assertLoggedOnce(
        "retried",
        "An earlier attempt started "
            + endedApplication
            + " on another cluster, "
            + where
            + ": it is ended there, and this attempt starts anew.");
    steps.assertLoggedOnce("retried", endedApplication + " has ended on " + where + ".");
    steps.assertLoggedOnce(
        "retried", "The step runs on the cluster first (Azkaban's router chose it).");
    List<String> others = new ArrayList<>(steps.applications("retried"));
    others.remove(endedApplication);
    assertEquals(1, others.size());
    assertEquals("SUCCEEDED", clusters.first().application(others.get(0)).finalStatus());
  }

  // ---- No router ----

  @Test
  public void shouldRunAStepThatNamesNoClusterOnTheFirst() throws Exception {
    assertRan(
        steps,
        "by-default",
        clusters.first(),
        "prod (the default; tony.cluster chooses another one)");
  }

  @Test
  public void shouldRunAStepOnTheClusterThatItNames() throws Exception {
    assertRan(steps, "on-gpu", second(), "gpu (tony.cluster)");
  }

  @Test
  public void shouldNameTheClustersToAStepThatNamesNone() throws Exception {
    assertRefused(
        steps,
        "misspelt",
        "tony.cluster is gpus: there is no cluster of this name. Set tony.cluster to one of [prod,"
            + " gpu].");
  }

  @Test
  public void shouldKeepAClusterToTheProjectsThatTheAdministratorNames() throws Exception {
    for (String job : List.of("closed", "forged")) {
      assertRefused(
          stepsOfOthers,
          job,
          "tony.cluster is gpu: the administrator has not opened it to the project etl. Set"
              + " tony.cluster to one of [prod].");
    }
  }

  @Test
  public void shouldNotLetAStepAskTheRouterForAClusterThatItsProjectMayNotUse() throws Exception {
    assertRan(
        stepsOfOthers,
        "asks-router",
        clusters.first(),
        "prod (the default; tony.cluster chooses another one)");
  }

  private static void assertRan(
      Execution execution, String job, MiniClusterProcess cluster, String where) throws Exception {
    assertEquals(execution.log(job), "SUCCEEDED", execution.status(job));
    execution.assertLoggedOnce(job, "The step runs on the cluster " + where + ".");
    assertEquals("SUCCEEDED", cluster.application(execution.application(job)).finalStatus());
  }

  private static void assertRefused(Execution execution, String job, String why) throws Exception {
    assertEquals(execution.log(job), "FAILED", execution.status(job));
    execution.assertLoggedOnce(job, why);
    assertEquals(execution.log(job), List.of(), execution.applications(job));
  }
}
