package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import io.tony.azkaban.AzkabanHost.HostedJob;
import io.tony.client.TonyCli;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** The installed plugin in the real JobTypeManager of each Azkaban, with a real child JVM. */
@RunWith(Parameterized.class)
public final class PluginInAzkabanTest {

  private static final String AWKWARD =
      " two  words 'one' \"two\" $HOME $(x ; rm -rf / `id` \\ # ! : = \t\nnext línea 漢字 🎉 ";

  private static final String TMPDIR = "java.io.tmpdir";

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Parameterized.Parameter public AzkabanHost azkaban;

  private final JobLog log = new JobLog();
  private final Map<String, String> properties = new HashMap<>();
  private InstalledPlugin plugin;
  private final String tmpdir = System.getProperty(TMPDIR);
  private Path workingDirectory;
  private Path temporary;

  @Parameterized.Parameters(name = "{0}")
  public static Object[] versions() {
    return AzkabanHost.values();
  }

  @Before
  public void install() throws Exception {
    plugin = InstalledPlugin.install(folder.getRoot().toPath());
    workingDirectory = ExecutionFolder.in(folder.getRoot().toPath()).path();
    temporary = Files.createDirectory(workingDirectory.resolveSibling("temporary"));
    System.setProperty(TMPDIR, temporary.toString());
    properties.put("type", "tony");
    properties.putAll(new ExecutionFolder(workingDirectory).properties(workingDirectory));
    properties.put("azkaban.flow.execid", "17");
    properties.put("azkaban.job.attempt", "2");
  }

  @After
  public void nothingIsLeftBehind() throws Exception {
    System.setProperty(TMPDIR, tmpdir);
    for (Path place : List.of(workingDirectory, temporary)) {
      try (Stream<Path> files = Files.list(place)) {
        assertEquals(
            List.of(),
            files.filter(file -> file.getFileName().toString().contains("tony")).toList());
      }
    }
  }

  @Test
  public void shouldHandOverEveryCharacterAndNothingThatIsNotListed() throws Exception {
    // Newer Azkabans evaluate $(…) themselves, before the job is built.
    String value = azkaban == AzkabanHost.AZKABAN_3 ? AWKWARD.replace("$(x", "$x") : AWKWARD;
    properties.put("executes", value);
    properties.put("task_env.AWKWARD", value);
    properties.put("tony.worker.command", value);
    properties.put("database.password", "hunter2");
    properties.put("hive.password", "the administrator's");
    Files.writeString(
        plugin.jobTypes().resolve("common.properties"), "hive.password=the administrator's");

    Properties jobFile = runAndKeepJobFile();

    Map<String, String> expected = new TreeMap<>();
    expected.put("executes", value);
    expected.put("task_env.AWKWARD", value);
    expected.put("tony.worker.command", value);
    expected.put("azkaban.job.id", "train");
    expected.put("azkaban.flow.execid", "17");
    expected.put("azkaban.job.attempt", "2");
    expected.put("other.database.password", "");
    expected.put(TonyCli.STEPS, properties.get(TonyCli.STEPS));
    assertEquals(expected, new TreeMap<>(jobFile));
  }

  @Test
  public void shouldKeepTheAdministratorsDefaultsApart() throws Exception {
    plugin.set(
        "tony.yarn.queue=training",
        "tony.am.memory=1g",
        "tony.application.tags=e${azkaban.flow.execid}");
    properties.put("tony.am.memory", "2g");

    Properties jobFile = runAndKeepJobFile();

    assertEquals("training", jobFile.getProperty("site.tony.yarn.queue"));
    assertEquals("e17", jobFile.getProperty("site.tony.application.tags"));
    assertEquals("2g", jobFile.getProperty("tony.am.memory"));
    assertEquals(null, jobFile.getProperty("site.tony.am.memory"));
    assertEquals(null, jobFile.getProperty("tony.yarn.queue"));
    assertEquals(null, jobFile.getProperty("tony.client.classpath"));
  }

  @Test
  public void shouldNotLetAJobChooseWhatRuns() throws Exception {
    properties.put("tony.client.java.home", "/nonexistent");
    properties.put("tony.client.jvm.args", "-Xmx1");
    properties.put("plugin.dir", "/nonexistent");
    properties.put("env.LD_PRELOAD", "/nonexistent");
    properties.put("env.TZ", "Europe/Zurich");
    steps("environment LD_PRELOAD", "environment TZ", "permissions");

    build().run();

    log.await("LD_PRELOAD=" + System.getenv("LD_PRELOAD"));
    log.await("[env.LD_PRELOAD] are not passed to TonY's client");
    log.await("TZ=Europe/Zurich");
    log.await("[env.TZ] reach TonY's client only; the program's environment is task_env.NAME.");
    log.await("[tony.client.java.home, tony.client.jvm.args] are the administrator's to set");
    assertTrue(
        log.lines().toString(),
        log.lines().stream()
            .anyMatch(
                line ->
                    line.matches(
                        "INFO \\[OWNER_(READ|WRITE), OWNER_(READ|WRITE)\\] \\[OWNER_\\w+, OWNER_\\w+, OWNER_\\w+\\]")));
  }

  @Test
  public void shouldRefuseAJobThatDecidesAsWhomOrHowTheClientActs() throws Exception {
    List<String> names =
        List.of(
            "CLASSPATH",
            "HADOOP_CONF_DIR",
            "HADOOP_OPTS",
            "HADOOP_PROXY_USER",
            "HADOOP_TOKEN_FILE_LOCATION",
            "HADOOP_USER_NAME",
            "JAVA_TOOL_OPTIONS",
            "JDK_JAVA_OPTIONS",
            "KRB5CCNAME",
            "KRB5_CONFIG",
            "TONY_JOB_ALLOWED_FILE_SYSTEMS",
            "TONY_JOB_ALLOWED_FOLDERS",
            "TONY_JOB_FOLDER",
            "TONY_RUN_AS",
            "TONY_RUN_AS_TOKENS",
            "YARN_OPTS",
            "_JAVA_OPTIONS");
    names.forEach(name -> properties.put("env." + name, "x"));
    steps("say started");

    assertRefused(
        "["
            + String.join(", ", names.stream().map(name -> "env." + name).toList())
            + "] would decide as whom, where or how TonY's client acts, which is not a job's to"
            + " say: remove it. The user to run as is user.to.proxy, the program's environment is"
            + " task_env.NAME.");
    assertTrue(log.lines().toString(), log.lines().stream().noneMatch("INFO started"::equals));
  }

  @Test
  public void shouldActAsTheNamedUserWhereTheAdministratorWantsIt() throws Exception {
    properties.put("user.to.proxy", "alice");
    properties.put("azkaban.should.proxy.user", "true"); // a job's word does not count
    steps("environment TONY_RUN_AS");
    build().run();
    log.await(
        "INFO user.to.proxy=alice has no effect: the job type's private.properties does not have"
            + " azkaban.should.proxy.user=true.");
    log.await("TONY_RUN_AS=null");

    plugin.setPrivate(
        "azkaban.should.proxy.user=true", "proxy.user=azkaban@REALM", "proxy.keytab.location=/k");
    properties.put("proxy.user", "mallory@REALM");
    steps(
        "environment TONY_RUN_AS",
        "environment TONY_RUN_AS_PRINCIPAL",
        "environment TONY_RUN_AS_KEYTAB");
    build().run();
    log.await("The job runs as alice (user.to.proxy).");
    log.await("TONY_RUN_AS=alice");
    log.await("TONY_RUN_AS_PRINCIPAL=azkaban@REALM");
    log.await("TONY_RUN_AS_KEYTAB=/k");
  }

  @Test
  public void shouldActAsTheNamedUserWhereAzkabansOwnHadoopJobTypesDo() throws Exception {
    plugin.setPrivate("azkaban.should.proxy=true");
    properties.put("user.to.proxy", "alice");
    steps("environment TONY_RUN_AS");

    build().run();

    log.await("TONY_RUN_AS=alice");
  }

  @Test
  public void shouldSayWhatAJobAsksForAndOnlyAzkabansSecurityManagerTakes() throws Exception {
    properties.put("obtain.hcat.token", "true");
    properties.put("azkaban.enable.oauth", "false");
    steps("say started");

    build().run();

    log.await("WARN [obtain.hcat.token] are not obeyed: they ask for credentials that only");
    log.await("started");
  }

  private void takeTokens(String user) throws Exception {
    plugin.setPrivate(
        "azkaban.should.proxy.user=true",
        "obtain.binary.token=true",
        "keystore.password=hunter2",
        "hadoop.security.manager.class=io.tony.azkaban.standin.StandInManager");
    properties.put("user.to.proxy", user);
  }

  @Test
  public void shouldGiveTheClientTheTokensThatAzkabansSecurityManagerTakes() throws Exception {
    takeTokens("alice");
    plugin.set("tony.client.allowed-file-systems=hdfs://other:8020");
    properties.put("obtain.hcat.token", "true");
    properties.put("other_namenodes", "hdfs://other:8020, hdfs://rogue:8020");
    properties.put("azkaban.security.credential", "evil.Provider");
    steps("content-of TONY_RUN_AS_TOKENS", "environment TONY_RUN_AS", "status state=SUCCEEDED");

    build().run();

    log.await(
        "user.to.proxy=alice obtain.namenode.token=true obtain.jobtracker.token=true"
            + " obtain.hcat.token=true other_namenodes=hdfs://other:8020"
            + " azkaban.security.credential=null [OWNER_");
    assertFalse(log.lines().toString(), log.lines().toString().contains("GROUP_"));
    log.await("TONY_RUN_AS=alice");
    log.await("WARN a service was slow");
    log.await("WARN canceled those of alice in a file of");
    assertFalse(log.lines().toString(), log.lines().toString().contains("hunter2"));
  }

  @Test
  public void shouldBeKilledWhileAzkabansSecurityManagerWaits() throws Exception {
    takeTokens("alice");
    plugin.setPrivate("standin.waits=true");
    steps("say started");
    HostedJob job = build();
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      Future<?> end = executor.submit(() -> assertThrows(Exception.class, job::run));
      log.await("WARN waits");

      job.cancel();

      end.get(60, TimeUnit.SECONDS);
    } finally {
      executor.shutdownNow();
    }
    log.await("train was cancelled (no application was submitted)");
    assertFalse(log.lines().contains("INFO started"));
  }

  @Test
  public void shouldSayInOneSentenceThatAzkabansSecurityManagerTakesNoTokens() throws Exception {
    takeTokens("bob");
    steps("say started");

    assertRefused(
        "Azkaban's io.tony.azkaban.standin.StandInManager took no tokens for bob (no tokens for"
            + " bob here): the log of the Azkaban executor says more");

    plugin.setPrivate("standin.kerberos=false");
    build().run();
    log.await("WARN It takes none: Hadoop's configuration in Azkaban has no Kerberos.");
    log.await("started");
  }

  @Test
  public void shouldSayThatAzkabansSecurityManagerIsNotThere() throws Exception {
    properties.put("user.to.proxy", "alice");
    properties.put("hadoop.security.manager.class", "evil.Manager"); // a job's word does not count
    plugin.setPrivate("azkaban.should.proxy.user=true", "obtain.binary.token=true");
    steps("say started");

    assertRefused(
        "Azkaban's azkaban.security.HadoopSecurityManager_H_2_0 (hadoop.security.manager.class),"
            + " which is to take the tokens of alice, cannot be loaded ("
            + "java.lang.ClassNotFoundException: azkaban.security.HadoopSecurityManager_H_2_0):"
            + " the administrator adds its jar");

    Path keytab = Files.createFile(folder.getRoot().toPath().resolve("keytab"));
    plugin.setPrivate("proxy.user=azkaban", "proxy.keytab.location=" + keytab);
    build().run(); // there is no need for it
    log.await("started");

    properties.put("obtain.hcat.token", "true");
    assertRefused("cannot be loaded");

    plugin.setPrivate("tony.client.login=keytab");
    build().run();
    log.await("WARN [obtain.hcat.token] are not obeyed");

    plugin.setPrivate("tony.client.login=ticket");
    assertRefused("tony.client.login in the job type's private.properties is 'ticket'");
  }

  @Test
  public void shouldSayNothingOfAUserWhomAzkabanFilledIn() throws Exception {
    properties.put("azkaban.flow.submituser", "alice");
    properties.put("user.to.proxy", "alice");
    steps("say up");

    build().run();

    log.await("INFO up");
    assertEquals(log.lines().toString(), 0, log.count("user.to.proxy"));
  }

  @Test
  public void shouldBeginTheLogWithItsVersionAndItsPlace() throws Exception {
    steps("say up");

    build().run();

    assertEquals("INFO Building tony job executor. ", log.lines().get(0)); // Azkaban's own
    assertEquals(firstLine(), log.lines().get(1));
  }

  private static String firstLine() throws Exception {
    return "INFO TonY "
        + InstalledPlugin.VERSION
        + " on Azkaban executor "
        + Files.readString(Path.of("/proc/sys/kernel/hostname")).trim()
        + ", as user "
        + System.getProperty("user.name")
        + ".";
  }

  @Test
  public void shouldMarkTheClientsProcessAsAzkabanMarksItsOwn() throws Exception {
    properties.put("azkaban.flow.flowid", "nightly 'flow'\nü $x");
    steps("arguments");

    build().run();

    log.await("-Dazkaban.flowid=nightly 'flow' ü $x, -Dazkaban.execid=17, -Dazkaban.jobid=train]");
  }

  @Test
  public void shouldRunAJobWhoseNameIsLongerThanAFilesName() throws Exception {
    String id = "j".repeat(230);
    properties.putAll(new ExecutionFolder(workingDirectory).properties(workingDirectory, id));
    steps("say up");

    azkaban.build(plugin.jobTypes(), id, properties, log.logger()).run();

    assertTrue(log.lines().contains("INFO up"));
  }

  @Test
  public void shouldSayWhatElseFailedWithItsTrace() throws Exception {
    System.setProperty(TMPDIR, temporary.resolve("gone").toString());

    Exception failure = assertThrows(Exception.class, build()::run);

    assertEquals(
        "train: FAILED (java.nio.file.NoSuchFileException), the lines above say why.",
        failure.getMessage());
    assertEquals(1, log.count("ERROR train: TonY's job type itself has failed:"));
    assertEquals(1, log.count("java.nio.file.NoSuchFileException: " + temporary));
    assertTrue(log.lines().toString(), log.count("at io.tony.azkaban.TonyJob.run(") == 1);
  }

  @Test
  public void shouldHoldTheClientToTheExecutionsFolder() throws Exception {
    Path shared = folder.newFolder("shared").toPath().toRealPath();
    Path inner = Files.createDirectories(workingDirectory.resolve("etl/train"));
    properties.putAll(new ExecutionFolder(workingDirectory).properties(inner));
    properties.put("tony.client.allowed-paths", "/");
    plugin.set("tony.client.allowed-paths=" + shared);
    steps("environment TONY_JOB_FOLDER", "environment TONY_JOB_ALLOWED_FOLDERS");

    build().run();

    log.await("TONY_JOB_FOLDER=" + inner);
    log.await("TONY_JOB_ALLOWED_FOLDERS=" + workingDirectory + ":" + shared);

    properties.put("working.dir", folder.newFolder("elsewhere").toString());
    assertRefused("not in the execution's folder");
  }

  @Test
  public void shouldHoldTheClientToTheClustersFileSystemsAndTheAdministrators() throws Exception {
    properties.put("tony.client.allowed-file-systems", "s3a://*");
    steps("environment TONY_JOB_ALLOWED_FILE_SYSTEMS");
    build().run();
    assertTrue(log.lines().contains("INFO TONY_JOB_ALLOWED_FILE_SYSTEMS="));

    plugin.set("tony.client.allowed-file-systems=hdfs://other:8020, s3a://models");
    build().run();
    log.await("TONY_JOB_ALLOWED_FILE_SYSTEMS=hdfs://other:8020,s3a://models");

    for (String other :
        List.of("hdfs://other:8020/data", "models", "s3a://my bucket", "file://*")) {
      plugin.set("tony.client.allowed-file-systems=" + other);
      assertRefused("names " + other + ", which is not SCHEME://HOST:PORT");
    }
  }

  @Test
  public void shouldNotBeMovedByTheProjectsNamesForFolders() throws Exception {
    Path elsewhere = folder.newFolder("conf").toPath();
    for (String attachment :
        List.of(
            workingDirectory + "/../../conf/_job.17.train.attach", // a folder named ${y}
            elsewhere.toRealPath() + "/_job.17.train.attach",
            workingDirectory + "/train.attach",
            workingDirectory + "/_job.17.other.attach",
            workingDirectory + "/a/17/b/_job.17.train.attach", // through a link a/17
            "17/_job.17.train.attach",
            "")) {
      properties.put("azkaban.job.attachment.file", attachment);
      assertRefused("The execution's folder cannot be determined");
    }
  }

  @Test
  public void shouldTakeTheFolderOfAnExecutionThatIsNotNamedAfterIt() throws Exception {
    Path project = folder.newFolder("work").toPath().toRealPath().resolve("project");
    Path inner = Files.createDirectories(project.resolve("etl"));
    properties.putAll(new ExecutionFolder(project).properties(inner));
    assertRefused("The execution's folder cannot be determined");

    plugin.set("tony.client.allowed-paths=" + project);
    steps("environment TONY_JOB_ALLOWED_FOLDERS");
    build().run();
    log.await("TONY_JOB_ALLOWED_FOLDERS=" + project + ":" + project);

    properties.put("azkaban.flow.execid", "16");
    assertRefused("azkaban.flow.execid is Azkaban's to set, and is 17 here: remove it.");
  }

  /** Azkaban lets a job override the project and the flow that it runs in. */
  @Test
  public void shouldRefuseAJobThatSaysWhichStepItIs() throws Exception {
    Path jobFile = workingDirectory.resolve("train.job");
    Files.writeString(
        jobFile,
        "azkaban.flow.projectname=payments\nazkaban.link.job.url=http://x\ntony.am.memory=1g\n");
    steps("say started");
    assertRefused(
        "train.job sets azkaban.flow.projectname, azkaban.link.job.url, which only Azkaban may set:"
            + " remove what is not the job's to say.");

    Files.writeString(jobFile, "azkaban.job.enable.ssl=true"); // a setting, and a job's to say
    properties.put("azkaban.flow.nested.path", "payments:train"); // by a parameter of the flow
    assertRefused(
        "azkaban.flow.nested.path is Azkaban's to set, and is not set here: remove it from the job,"
            + " from the parameters of the flow and from what earlier jobs publish.");
    properties.remove("azkaban.flow.nested.path");
    properties.put("azkaban.job.id", "pay");
    assertRefused("azkaban.job.id is Azkaban's to set, and is train here");
    properties.put("azkaban.job.id", "train");
    assertEquals(0, log.count("started"));

    build().run();
    log.await("started");
  }

  @Test
  public void shouldAllowTheProjectsFolderThatAzkabanLinksTo() throws Exception {
    Path version = folder.newFolder("projects").toPath().toRealPath().resolve("4.2");
    Path inner = Files.createDirectories(workingDirectory.resolve("etl"));
    Path jobFile = version.resolve("etl/train.job");
    Files.createDirectories(jobFile.getParent());
    Files.writeString(jobFile, "type=tony");
    Path link = inner.resolve("train.job");
    properties.putAll(new ExecutionFolder(workingDirectory).properties(inner));
    steps("environment TONY_JOB_ALLOWED_FOLDERS");
    String alone = "TONY_JOB_ALLOWED_FOLDERS=" + workingDirectory;

    Files.createSymbolicLink(link, jobFile);
    build().run();
    log.await(alone + ":" + version);

    Path elsewhere = Files.createDirectories(folder.newFolder("conf").toPath().resolve("etl"));
    for (Path other :
        List.of(
            Files.writeString(elsewhere.resolve("train.job"), ""),
            Files.writeString(version.resolve("train.job"), ""))) {
      Files.delete(link);
      Files.createSymbolicLink(link, other); // no version of a project; another relative path
      build().run();
    }
    assertEquals(
        log.lines().toString(), 2, log.lines().stream().filter(("INFO " + alone)::equals).count());
  }

  @Test
  public void shouldNotTakeALinkOfAnotherUserForAzkabans() throws Exception {
    assumeTrue("only root can give a link away", "root".equals(System.getProperty("user.name")));
    Path version = folder.newFolder("projects").toPath().toRealPath().resolve("4.2");
    Files.createDirectories(version);
    Path link = workingDirectory.resolve("train.job");
    Files.createSymbolicLink(link, Files.writeString(version.resolve("train.job"), ""));
    Files.setAttribute(link, "unix:uid", 12_345, LinkOption.NOFOLLOW_LINKS);
    steps("environment TONY_JOB_ALLOWED_FOLDERS");

    build().run();

    assertTrue(log.lines().contains("INFO TONY_JOB_ALLOWED_FOLDERS=" + workingDirectory));
  }

  /** The log says why, once; Azkaban gets no more than that, and writes it into the log or not. */
  private void assertRefused(String why) throws Exception {
    long before = log.count(why);
    HostedJob job = build();

    Exception refused = assertThrows(Exception.class, job::run);

    assertEquals("train: FAILED, the lines above say why.", refused.getMessage());
    assertEquals(log.lines().toString(), before + 1, log.count(why));
    String last = log.lines().get(log.lines().size() - 1);
    assertTrue(last, last.startsWith("ERROR ") && last.contains(why));
  }

  @Test
  public void shouldRunNobodyAsASuperuserOrAsAzkaban() throws Exception {
    plugin.setPrivate("azkaban.should.proxy.user=true");
    for (String user :
        List.of(
            "root",
            "hdfs",
            "yarn",
            "mapred",
            "hdfs/host@REALM",
            " alice",
            "alice@REALM",
            System.getProperty("user.name"))) {
      properties.put("user.to.proxy", user);
      assertRefused("user.to.proxy is '" + user + "': no job runs as");
    }
    properties.put("user.to.proxy", "hadoop");
    plugin.set("tony.client.refused-users=ops, hadoop");
    properties.put("tony.client.refused-users", "ops"); // a job's word does not count
    assertRefused("user.to.proxy is 'hadoop': no job runs as");
    properties.remove("user.to.proxy");
    assertRefused("The job names no user to run as: set user.to.proxy");
    plugin.setPrivate("proxy.user=azkaban/host@REALM");
    properties.put("user.to.proxy", "azkaban");
    assertRefused("user.to.proxy is 'azkaban'");
    properties.put("user.to.proxy", "alice");
    assertRefused("one of proxy.user and proxy.keytab.location: set both");
  }

  @Test
  public void shouldTakeTheClustersFilesFromTheAdministratorOnly() throws Exception {
    plugin.set("place=/etc", "tony.application.hdfs-conf-path=${place}/hdfs-site.xml");
    properties.put("place", "/mine");

    Properties jobFile = runAndKeepJobFile();

    assertEquals("/etc/hdfs-site.xml", jobFile.getProperty("site.tony.application.hdfs-conf-path"));
  }

  @Test
  public void shouldPublishTheOutputOfASuccessfulJob() throws Exception {
    steps(
        "warn a warning — 漢",
        "directory",
        "output {\"tony.application.id\": \"a\", \"tony.output.näme\": \"wört 🎉\"}");

    HostedJob job = build();
    job.run();

    assertEquals(Map.of("tony.application.id", "a", "tony.output.näme", "wört 🎉"), job.outputs());
    assertEquals(1.0, job.progress(), 0);
    assertTrue(log.lines().contains("INFO a warning — 漢"));
    assertTrue(
        log.lines().toString(),
        log.lines().stream()
            .anyMatch(line -> line.matches("INFO " + temporary + "/.tony-train-2-\\d+")));
  }

  @Test
  public void shouldFailWithTheResultAndPublishNothing() throws Exception {
    steps(
        "status application.id=application_1_0002",
        "status state=FAILED",
        "output {\"a\": \"b\"}",
        "exit 1");

    HostedJob job = build();
    Exception failure = assertThrows(Exception.class, job::run);

    assertEquals(
        "train: FAILED (PROGRAM, exit code 1, application_1_0002), the lines above say why.",
        failure.getMessage());
    assertEquals(
        "ERROR train: the program failed (PROGRAM, exit code 1, application_1_0002).",
        log.lines().get(log.lines().size() - 1));
    assertEquals(Map.of(), job.outputs());
  }

  @Test
  public void shouldEndTheClientWhenItIsCancelled() throws Exception {
    steps(
        "on-term stopped by SIGTERM",
        "status application.id=application_1_0003",
        "status progress=0.25",
        "status state=KILLED",
        "say ready",
        "hang");
    HostedJob job = build();
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      Future<Exception> end = executor.submit(() -> assertThrows(Exception.class, job::run));
      log.await("ready");
      assertEquals(0.25, job.progress(), 0);

      job.cancel();

      assertEquals(
          "train: CANCELLED (application_1_0003), the lines above say why.",
          end.get(30, TimeUnit.SECONDS).getMessage());
      assertEquals(1, log.count("ERROR train was cancelled (application_1_0003)."));
      assertTrue(log.lines().contains("INFO stopped by SIGTERM"));
      assertFalse(Files.exists(workingDirectory.resolve("killed-application_1_0003")));
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  public void shouldWaitForTheEndInTheCallThatThisAzkabanWaitsFor() throws Exception {
    steps("on-term when", "say ready", "hang");
    HostedJob job = build();
    ExecutorService executor = Executors.newCachedThreadPool();
    Path mayEnd = workingDirectory.resolve("may-end");
    try {
      Future<Exception> end = executor.submit(() -> assertThrows(Exception.class, job::run));
      log.await("ready");

      Future<?> cancel =
          executor.submit(
              () -> {
                job.cancel();
                return null;
              });

      log.await("asked");
      if (azkaban == AzkabanHost.AZKABAN_3) {
        cancel.get(30, TimeUnit.SECONDS); // while the client still ends its application
      } else {
        assertFalse(cancel.isDone());
      }
      assertFalse(end.isDone());
      Files.createFile(mayEnd);
      end.get(30, TimeUnit.SECONDS);
      cancel.get(30, TimeUnit.SECONDS);
    } finally {
      executor.shutdownNow();
    }
  }

  private Properties runAndKeepJobFile() throws Exception {
    Path copy = folder.getRoot().toPath().resolve("kept.properties");
    steps("keep-job-file " + copy);
    build().run();
    Properties kept = new Properties();
    try (Reader reader = Files.newBufferedReader(copy, StandardCharsets.UTF_8)) {
      kept.load(reader);
    }
    return kept;
  }

  private void steps(String... steps) {
    properties.put(TonyCli.STEPS, String.join("\n", steps));
  }

  private HostedJob build() throws Exception {
    return azkaban.build(plugin.jobTypes(), "train", properties, log.logger());
  }
}
