package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.azkaban.AzkabanHost.HostedJob;
import io.tony.client.TonyCli;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Parameterized.Parameter public AzkabanHost azkaban;

  private final JobLog log = new JobLog();
  private final Map<String, String> properties = new HashMap<>();
  private InstalledPlugin plugin;
  private Path workingDirectory;

  @Parameterized.Parameters(name = "{0}")
  public static Object[] versions() {
    return AzkabanHost.values();
  }

  @Before
  public void install() throws Exception {
    plugin = InstalledPlugin.install(folder.getRoot().toPath());
    workingDirectory = folder.newFolder("working directory").toPath();
    properties.put("type", "tony");
    properties.put("working.dir", workingDirectory.toString());
    properties.put("azkaban.flow.execid", "17");
    properties.put("azkaban.job.attempt", "2");
  }

  @After
  public void nothingIsLeftBehind() throws Exception {
    try (Stream<Path> files = Files.list(workingDirectory)) {
      assertEquals(
          List.of(), files.filter(file -> file.getFileName().toString().contains("tony")).toList());
    }
  }

  @Test
  public void shouldHandOverEveryCharacterAndNothingThatIsNotListed() throws Exception {
    // Newer Azkabans evaluate $(…) themselves, before the job is built.
    String value = azkaban == AzkabanHost.AZKABAN_3 ? AWKWARD.replace("$(x", "$x") : AWKWARD;
    properties.put("executes", value);
    properties.put("worker_env.AWKWARD", value);
    properties.put("tony.worker.command", value);
    properties.put("database.password", "hunter2");

    Properties jobFile = runAndKeepJobFile();

    Map<String, String> expected = new TreeMap<>();
    expected.put("executes", value);
    expected.put("worker_env.AWKWARD", value);
    expected.put("tony.worker.command", value);
    expected.put("azkaban.job.id", "train");
    expected.put("azkaban.flow.execid", "17");
    expected.put("azkaban.job.attempt", "2");
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
    properties.put("env.JAVA_TOOL_OPTIONS", "-Xmx1");
    properties.put("env.HADOOP_TOKEN_FILE_LOCATION", "/tokens");
    steps("environment JAVA_TOOL_OPTIONS", "environment HADOOP_TOKEN_FILE_LOCATION", "permissions");

    build().run();

    log.await("JAVA_TOOL_OPTIONS=" + System.getenv("JAVA_TOOL_OPTIONS"));
    log.await("HADOOP_TOKEN_FILE_LOCATION=/tokens");
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
    assertTrue(log.lines().contains("INFO " + workingDirectory.toRealPath()));
  }

  @Test
  public void shouldFailWithTheResultAndPublishNothing() throws Exception {
    steps("status application.id=application_1_0002", "output {\"a\": \"b\"}", "exit 1");

    HostedJob job = build();
    Exception failure = assertThrows(Exception.class, job::run);

    assertEquals(
        "train: the program failed (USER, exit code 1, application_1_0002)."
            + " The lines above say why.",
        failure.getMessage());
    assertEquals(Map.of(), job.outputs());
  }

  @Test
  public void shouldEndTheClientWhenItIsCancelled() throws Exception {
    steps(
        "on-term stopped by SIGTERM",
        "status application.id=application_1_0003",
        "status progress=0.25",
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
          "train was cancelled (application_1_0003).", end.get(30, TimeUnit.SECONDS).getMessage());
      assertTrue(log.lines().contains("INFO stopped by SIGTERM"));
      assertFalse(Files.exists(workingDirectory.resolve("killed-application_1_0003")));
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
