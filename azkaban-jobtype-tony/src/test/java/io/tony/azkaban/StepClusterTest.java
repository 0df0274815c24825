package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import azkaban.utils.Props;
import io.tony.client.TonyCli;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** On which of several clusters a step runs, with real clients and two configurations. */
public final class StepClusterTest {

  private static final String TMPDIR = "java.io.tmpdir";
  private static final String ID = "application_1_0001";

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private final JobLog log = new JobLog();
  private final Map<String, String> system = new HashMap<>();
  private final Map<String, String> job = new HashMap<>();
  private final String tmpdir = System.getProperty(TMPDIR);
  private InstalledPlugin plugin;
  private Path general;
  private Path first;
  private Path second;
  private Path execution;
  private Path temporary;

  @Before
  public void install() throws Exception {
    Path root = folder.getRoot().toPath();
    plugin = InstalledPlugin.install(root);
    general = root.resolve("hadoop conf"); // that of InstalledPlugin
    first = folder.newFolder("first").toPath();
    second = folder.newFolder("second").toPath();
    execution = ExecutionFolder.in(root).path();
    temporary = folder.newFolder("temporary").toPath().toRealPath();
    System.setProperty(TMPDIR, temporary.toString());
    system.put("plugin.dir", plugin.folder().toString());
    job.putAll(new ExecutionFolder(execution).properties(execution));
    steps("environment HADOOP_CONF_DIR", "environment HADOOP_HOME");
  }

  @After
  public void restore() {
    System.setProperty(TMPDIR, tmpdir);
  }

  @Test
  public void shouldRunOnTheClusterThatAzkabansRouterChose() throws Exception {
    route("env.HADOOP_CONF_DIR", second.toString());
    route("env.HADOOP_HOME", "/opt/hadoop2");
    job.put("hadoop.conf.dir", first.toString()); // a job's word does not count

    run();

    assertRanOn(second);
    assertLogged("The step runs on the cluster second (Azkaban's router chose it).");
    assertLogged("HADOOP_HOME=/opt/hadoop2");
    assertFalse(log.lines().toString(), log.lines().toString().contains("not passed"));
  }

  @Test
  public void shouldTakeTheSettingsThatTheRouterCopiesIntoThePrivateProperties() throws Exception {
    plugin.setPrivate("hadoop.conf.dir=" + first, "tony.client.jvm.args=-Xmx95m");
    steps("environment HADOOP_CONF_DIR", "environment CLASSPATH");
    route("hadoop.conf.dir", second.toString());
    route("tony.client.classpath", second + "/jars:" + second);
    system.put("tony.client.jvm.args", "-Xmx95m"); // as it stands in the file: not the cluster's

    run();

    assertRanOn(second);
    assertTrue(
        log.lines().toString(),
        log.lines().stream()
            .anyMatch(
                line ->
                    line.startsWith("INFO CLASSPATH=")
                        && line.contains(":" + second + "/jars:")
                        && !line.contains(general.toString())));
  }

  @Test
  public void shouldTakeTheJarsOfTheClustersOwnComponentsAndOfNoneThatAJobNames() throws Exception {
    steps("environment CLASSPATH");
    job.put("job.dependency.components", "hive");
    system.put("jobtype.dependency.components", "hadoop,spark");
    system.put("jobtype.dependency.components.excluded", "spark");
    route("env.HADOOP_CONF_DIR", second.toString());
    route("library.path.hadoop", second.toString());
    route("library.path.spark", "/spark");
    route("library.path.hive", "/hive");

    run();

    String line =
        log.lines().stream().filter(each -> each.contains("CLASSPATH=")).findFirst().orElseThrow();
    assertTrue(line, line.contains(":" + second));
    assertFalse(line, line.contains("/hive") || line.contains("/spark"));
    assertFalse("the general class path", line.contains(general.toString()));
  }

  @Test
  public void shouldRunOnTheDefaultClusterThatTheRouterChose() throws Exception {
    plugin.setPrivate("hadoop.conf.dir=" + first); // and the cluster has the same value
    route("hadoop.conf.dir", first.toString());

    run();

    assertRanOn(first);
    assertLogged("The step runs on the cluster second (Azkaban's router chose it).");
  }

  @Test
  public void shouldRefuseAStepWhoseClusterThePrivatePropertiesDoNotHave() throws Exception {
    plugin.setPrivate("hadoop.conf.dir=" + first);
    system.put("hadoop.conf.dir", first.toString());
    job.put("azkaban.job.cluster.id", "second");
    system.put("jobtype.dependency.components", "hadoop");

    assertRefused(
        "Azkaban's router chose the cluster second for this step, and the job type cannot believe"
            + " what the job's properties say of it: the administrator adds env.HADOOP_CONF_DIR to"
            + " azkaban.plugin.load.override.props in azkaban.properties, and sets"
            + " env.HADOOP_CONF_DIR in the cluster.properties of each cluster. A step that sets one"
            + " of them itself removes it.");

    job.put("env.HADOOP_CONF_DIR", second.toString());
    job.put("env.HADOOP_YARN_HOME", "/opt/hadoop2");
    assertRefused("the administrator adds env.HADOOP_CONF_DIR,env.HADOOP_YARN_HOME to");

    system.put("env.HADOOP_CONF_DIR", second.toString());
    assertRefused("the administrator adds env.HADOOP_YARN_HOME to");
  }

  @Test
  public void shouldNotBelieveAClusterThatTheJobNamesItself() throws Exception {
    job.put("azkaban.job.cluster.id", "second"); // no router: Azkaban leaves it to the job
    job.put("hadoop.conf.dir", second.toString());
    run();
    assertRanOn(general);
    assertFalse(log.lines().toString(), log.lines().toString().contains("runs on the cluster"));

    job.put("env.HADOOP_CONF_DIR", second.toString());
    assertRefused("[env.HADOOP_CONF_DIR] would decide as whom, where or how");
  }

  @Test
  public void shouldNotLetAJobAskTheRouterWhereTheAdministratorNamesClusters() throws Exception {
    nameClusters();
    job.put("job.dependency.components", "hadoop");
    system.put("jobtype.dependency.components", "");
    route("env.HADOOP_CONF_DIR", second.toString());

    run();

    assertRanOn(first);
    assertLogged("The step runs on the cluster prod (the default;");
  }

  @Test
  public void shouldRefuseAnotherClusterThanTheRouters() throws Exception {
    plugin.set("tony.client.clusters=gpu", "tony.client.cluster.gpu.hadoop.conf.dir=" + first);
    route("env.HADOOP_CONF_DIR", second.toString());
    job.put("tony.cluster", "gpu");

    assertRefused(
        "tony.cluster=gpu cannot be: Azkaban's router chose the cluster second for this step.");

    job.put("tony.cluster", "second");
    run();
    assertRanOn(second);
  }

  @Test
  public void shouldRunOnTheClusterThatTheStepNames() throws Exception {
    nameClusters();

    run();
    assertRanOn(first);
    assertLogged(
        "The step runs on the cluster prod (the default; tony.cluster chooses another one).");

    job.put("tony.cluster", "gpu");
    run();
    assertRanOn(second);
    assertLogged("The step runs on the cluster gpu (tony.cluster).");
    assertLogged("HADOOP_HOME=" + second);

    job.put("tony.cluster", "gpus");
    assertRefused(
        "tony.cluster is gpus: there is no cluster of this name. Set tony.cluster to one of [prod,"
            + " gpu].");
  }

  @Test
  public void shouldLetAJobSetNoPathOfACluster() throws Exception {
    nameClusters();
    job.put("tony.client.clusters", "mine");
    job.put("tony.client.cluster.mine.hadoop.conf.dir", general.toString());
    job.put("tony.client.cluster.prod.hadoop.conf.dir", general.toString());

    run();

    assertRanOn(first);
    assertLogged(
        "[tony.client.clusters, tony.client.cluster.mine.hadoop.conf.dir,"
            + " tony.client.cluster.prod.hadoop.conf.dir] are the administrator's to set");
    job.put("tony.cluster", "mine");
    assertRefused("there is no cluster of this name. Set tony.cluster to one of [prod, gpu].");
  }

  @Test
  public void shouldOpenAClusterToTheProjectsThatTheAdministratorNames() throws Exception {
    nameClusters();
    plugin.set("tony.client.cluster.gpu.projects=vision, speech");
    job.put("tony.cluster", "gpu");
    job.put("azkaban.flow.projectname", "speech"); // Azkaban leaves it to a job that sets it
    job.put("azkaban.link.workflow.url", link("etl", "f&project=speech&flow=x"));

    assertRefused(
        "tony.cluster is gpu: the administrator has not opened it to the project etl. Set"
            + " tony.cluster to one of [prod].");
    job.remove("azkaban.link.workflow.url");
    assertRefused("the administrator sets azkaban.webserver.url in azkaban.properties");

    job.put("azkaban.link.workflow.url", link("speech", "f"));
    run();
    assertRanOn(second);

    plugin.set("tony.client.cluster.prod.projects=etl");
    job.remove("tony.cluster");
    assertRefused("tony.cluster is not set, and the default cluster is prod");
  }

  @Test
  public void shouldSayWhatIsWrongWithTheNamesOfClusters() throws Exception {
    job.put("tony.cluster", "gpu");
    assertRefused("tony.cluster is gpu, and the administrator of this Azkaban names no clusters");

    plugin.set("tony.client.clusters=gpu");
    assertRefused(
        "tony.client.clusters names the cluster gpu, and tony.client.cluster.gpu.hadoop.conf.dir is"
            + " not set");

    plugin.set("tony.client.clusters=g.pu");
    assertRefused("names 'g.pu': a cluster's name has letters");
  }

  @Test
  public void shouldNotGiveOneClusterTheConfigurationFilesOfAnother() throws Exception {
    Path kept = folder.getRoot().toPath().resolve("kept");
    plugin.set("tony.application.hdfs-conf-path=" + first + "/hdfs-site.xml");
    nameClusters();
    steps("keep-job-file " + kept);

    run();

    assertFalse(Files.readString(kept).contains("hdfs-conf-path"));
  }

  @Test
  public void shouldEndTheApplicationOfAnEarlierAttemptOnItsOwnCluster() throws Exception {
    nameClusters();
    job.put("tony.cluster", "gpu");
    fail("status application.id=" + ID, "crash 137");
    assertEquals(List.of("azkaban-tony-notes-" + OwnFolder.user()), list(temporary));

    nextAttempt("tony.cluster", "prod");
    run();

    assertLogged(
        "An earlier attempt started "
            + ID
            + " on another cluster, gpu ("
            + second
            + "): it is ended there, and this attempt starts anew.");
    assertLogged("killed " + ID);
    assertLogged("it was on " + second);
    assertLogged(ID + " has ended on gpu (" + second + ").");
    assertRanOn(first);
    assertEquals("no note is left", List.of(), notes());
  }

  @Test
  public void shouldSayWhereAnApplicationMayStillRunThatItCannotEnd() throws Exception {
    nameClusters();
    job.put("tony.cluster", "gpu");
    fail("status application.id=" + ID, "crash 137");
    Files.createFile(execution.resolve("killed-" + ID)); // the kill fails on that

    nextAttempt("tony.cluster", "prod");
    run();

    assertLogged(
        "The kill failed with exit code 1: whether "
            + ID
            + " still runs on gpu ("
            + second
            + ") is unknown. To end it: HADOOP_CONF_DIR="
            + second
            + " yarn application -kill "
            + ID);
    assertRanOn(first);
    assertEquals("the note stays, for the next attempt", 1, notes().size());
  }

  @Test
  public void shouldLeaveAnEarlierAttemptOnTheSameClusterToTheClient() throws Exception {
    nameClusters();
    fail("status application.id=" + ID, "crash 137");

    nextAttempt("tony.cluster", "prod");
    run();

    assertFalse(log.lines().toString(), log.lines().toString().contains("killed"));
    assertEquals(List.of(), notes());
  }

  @Test
  public void shouldLeaveNoNoteOfAnApplicationThatHasEnded() throws Exception {
    fail("status application.id=" + ID, "status state=FAILED", "exit 1");

    assertEquals(List.of(), list(temporary));
  }

  @Test
  public void shouldBelieveNoNoteThatAnotherUserCouldHaveWritten() throws Exception {
    nameClusters();
    job.put("tony.cluster", "gpu");
    fail("status application.id=" + ID, "crash 137");
    Path notes = temporary.resolve("azkaban-tony-notes-" + OwnFolder.user());
    assertTrue(notes.toFile().setReadable(true, false));

    nextAttempt("tony.cluster", "prod");
    run();

    assertLogged("Whether an earlier attempt ran on another cluster is not known");
    assertFalse(log.lines().toString(), log.lines().toString().contains("killed"));
  }

  @Test
  public void shouldDeleteOldNotes() throws Exception {
    AttemptNotes old = AttemptNotes.of("another job");
    old.save(new AttemptNotes.Note(ID, "", Map.of()));
    Path notes = temporary.resolve("azkaban-tony-notes-" + OwnFolder.user());
    Path note = notes.resolve(list(notes).get(0));

    assertEquals(true, AttemptNotes.of("a job").read().isEmpty());
    assertTrue("of today", Files.exists(note));

    Files.setLastModifiedTime(note, FileTime.from(Instant.now().minus(Duration.ofDays(8))));
    assertEquals(true, AttemptNotes.of("a job").read().isEmpty());
    assertEquals(List.of(), notes());
  }

  private void nameClusters() throws Exception {
    plugin.set(
        "tony.client.clusters=prod, gpu",
        "tony.client.cluster.prod.hadoop.conf.dir=" + first,
        "tony.client.cluster.gpu.hadoop.conf.dir=" + second,
        "tony.client.cluster.gpu.hadoop.home=" + second,
        "tony.client.cluster.gpu.classpath=" + second);
  }

  /** As Azkaban's router does it with a property of the cluster second. */
  private void route(String key, String value) {
    system.putIfAbsent("jobtype.dependency.components", "hadoop");
    system.put(key, value); // azkaban.plugin.load.override.props
    job.put("azkaban.job.cluster.id", "second");
    job.putIfAbsent(key, value);
  }

  private static String link(String project, String flow) {
    return "http://azkaban:8081/manager?project=" + project + "&flow=" + flow;
  }

  private void nextAttempt(String key, String value) {
    job.put(key, value);
    job.put("azkaban.job.attempt", "1");
    job.put("azkaban.job.attachment.file", execution.resolve("_job.17.1.train.attach").toString());
    steps("environment HADOOP_CONF_DIR");
  }

  private void steps(String... steps) {
    job.put(TonyCli.STEPS, String.join("\n", steps));
  }

  private void run() throws Exception {
    new TonyJob("train", props(system), props(job), log.logger(), 200, new long[0], false).run();
  }

  private void fail(String... steps) {
    steps(steps);
    assertThrows(JobFailedException.class, this::run);
  }

  private void assertRefused(String why) {
    long before = log.count(why);
    assertThrows(JobFailedException.class, this::run);
    assertEquals(why + " in " + log.lines(), before + 1, log.count(why));
  }

  private void assertRanOn(Path confDir) throws InterruptedException {
    log.await("HADOOP_CONF_DIR=" + confDir);
  }

  private void assertLogged(String text) throws InterruptedException {
    assertTrue(log.lines().toString(), log.lines().stream().anyMatch(line -> line.contains(text)));
  }

  private List<String> notes() throws Exception {
    return list(temporary.resolve("azkaban-tony-notes-" + OwnFolder.user()));
  }

  private static List<String> list(Path place) throws Exception {
    try (Stream<Path> files = Files.list(place)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static Props props(Map<String, String> of) {
    Props props = new Props();
    of.forEach(props::put);
    return props;
  }
}
