package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.azkaban.AzkabanHost.HostedJob;
import io.tony.mini.MiniClusterProcess.Application;
import io.tony.testing.BuildArtifacts;
import io.tony.testing.LeavesNothing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/**
 * The plugin's folder as this build packaged it, in the JobTypeManager of Azkaban 3.58.0, with the
 * real client on a real cluster.
 */
public final class TonyJobIT extends PackagedPluginTest {

  private static final Pattern APPLICATION_ID = Pattern.compile("application_\\d+_\\d+");
  private static final long PATIENCE_SECONDS = 120;

  private final ExecutorService executor = Executors.newSingleThreadExecutor();
  private final Map<String, String> properties = new HashMap<>();
  private Path workingDirectory;

  @Before
  public void prepare() throws Exception {
    workingDirectory = ExecutionFolder.in(folder.getRoot().toPath()).path();
    properties.put("type", "tony");
    properties.putAll(new ExecutionFolder(workingDirectory).properties(workingDirectory));
    properties.put("tony.am.memory", "256m");
    properties.put("tony.worker.memory", "128m");
    properties.put("tony.worker.instances", "2");
  }

  @After
  public void stopThread() {
    executor.shutdownNow();
  }

  @Test
  public void shouldTellItsProgressAndPublishItsOutput() throws Exception {
    Path released = folder.getRoot().toPath().resolve("released");
    properties.put(
        "executes",
        "echo 'step 5/10 loss 0.3' > $TONY_PROGRESS_FILE;"
            + " until test -e '"
            + released
            + "'; do sleep 0.1; done;"
            + " echo 'model=/models/größe 1' > $TONY_OUTPUT_FILE");
    HostedJob job = build();
    assertEquals(0, job.progress(), 0);
    Future<?> end =
        executor.submit(
            () -> {
              job.run();
              return null;
            });

    log.await("step 5/10 loss 0.3");
    double progress = job.progress();
    while (progress == 0) {
      Thread.sleep(10); // the line comes a moment before the number, which has no event
      progress = job.progress();
    }
    assertEquals(0.5, progress, 0);
    Files.createFile(released);
    end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);

    assertEquals(1, job.progress(), 0);
    Application application = application();
    assertEquals("SUCCEEDED", application.finalStatus());
    Map<String, String> outputs = job.outputs();
    assertEquals(application.id(), outputs.get("tony.application.id"));
    assertEquals("SUCCEEDED", outputs.get("tony.final.status"));
    assertEquals("/models/größe 1", outputs.get("tony.output.model"));
    assertTrue(outputs.toString(), outputs.get("tony.tracking.url").contains(application.id()));
    assertTrue(outputs.toString(), outputs.get("tony.task.worker.1.log.url").startsWith("http://"));
  }

  @Test
  public void shouldSayWhyTheProgramFailed() throws Exception {
    properties.put(
        "executes", "if [ $TASK_INDEX = 1 ]; then echo 'the reason' >&2; exit 3; fi; sleep 5252");
    HostedJob job = build();

    Exception failure = assertThrows(Exception.class, job::run);

    Application application = application();
    assertEquals("FAILED", application.finalStatus());
    assertEquals(
        "train: FAILED (PROGRAM, exit code 1, " + application.id() + "), the lines above say why.",
        failure.getMessage());
    List<String> lines = log.lines();
    assertEquals("INFO     the reason", lines.get(lines.size() - 3));
    assertTrue(
        lines.toString(),
        lines
            .get(lines.size() - 2)
            .contains("(PROGRAM): worker:1 exited with code 3, log http://"));
    assertEquals(
        "ERROR train: the program failed (PROGRAM, exit code 1, " + application.id() + ").",
        lines.get(lines.size() - 1));
    assertEquals(Map.of(), job.outputs());
  }

  @Test
  public void shouldLeaveNothingWhenACancelledRunReturns() throws Exception {
    properties.put("executes", "sleep 5353 & sleep 5353");
    HostedJob job = build();
    Future<Exception> end = executor.submit(() -> assertThrows(Exception.class, job::run));
    log.await("2/2 tasks running");

    job.cancel();
    Exception cancelled = end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);

    assertEquals(List.of(), LeavesNothing.leftovers(cluster()));
    Application application = application();
    assertEquals("KILLED", application.state());
    assertEquals(
        "train: CANCELLED (" + application.id() + "), the lines above say why.",
        cancelled.getMessage());
    assertEquals(1, log.count("ERROR train was cancelled (" + application.id() + ")."));
  }

  @Test
  public void shouldDeliverEveryCharacter() throws Exception {
    // Without $( ), which this version of Azkaban evaluates itself.
    String value = " a  b\t'one' \"two\" $HOME `id`; id & \\ # = \nnext línea 漢字 🎉 ";
    String argument = "two words; $HOME `id` \"größe\"\nnext";
    Path src = Files.createDirectories(workingDirectory.resolve("src"));
    Files.copy(
        BuildArtifacts.file("src-test-resources/values/check_values.py"),
        src.resolve("check_values.py"));
    Path expected = src.resolve("expected");
    Files.createDirectories(expected.resolve("env"));
    Files.createDirectories(expected.resolve("args"));
    Files.writeString(expected.resolve("env/EXACT"), value);
    Files.writeString(expected.resolve("args/0"), argument);
    properties.put("executes", "check_values.py");
    properties.put("python_binary_path", "python3");
    properties.put("task_env.EXACT", value);
    properties.put("task_params", "'" + argument + "'");

    build().run();

    assertEquals("SUCCEEDED", application().finalStatus());
  }

  private HostedJob build() throws Exception {
    return AzkabanHost.AZKABAN_3.build(jobTypes(), "train", properties, log.logger());
  }

  /** The application that the job's log names. */
  private Application application() throws IOException, InterruptedException {
    Matcher id = APPLICATION_ID.matcher(log.lines().toString());
    assertTrue(log.lines().toString(), id.find());
    return cluster().application(id.group());
  }
}
