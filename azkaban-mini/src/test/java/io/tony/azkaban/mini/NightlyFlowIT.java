package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Before;
import org.junit.Test;

/**
 * Nights of the sample flow {@code nightly}: each is an execution of its own, which goes on from
 * where the one before it ended.
 */
public class NightlyFlowIT extends ClusterFlowTest {

  private static final int SHORT_NIGHT_ROWS = 10_000;
  private static final int SHORT_NIGHT_STEPS = 9_000;

  /** So many that a kill comes in time: learning them takes many seconds. */
  private static final int LONG_NIGHT_ROWS = 600_000;

  private static final int LONG_NIGHT_STEPS = 540_000;
  private static final int CHECKPOINT_EVERY_STEPS = 1_000;
  private static final Pattern SAVED = Pattern.compile("checkpoint at step (\\d+)");
  private static final Pattern STEP = Pattern.compile("\"step\": (\\d+)");

  private Path checkpoints;
  private Path published;

  @Before
  public void makeFolders() throws IOException {
    checkpoints = Files.createDirectories(shared().resolve("checkpoint"));
    published = shared().resolve("published/model.json");
  }

  @Test
  public void shouldGoOnFromLastNightAndFromTheCheckpointOfAFailedAttempt() throws Exception {
    FlowResult first = start("2026-11-20", SHORT_NIGHT_ROWS).await();

    assertEquals(log("train") + log("evaluate"), Status.SUCCEEDED, first.status());
    assertSteps(first, 0, SHORT_NIGHT_STEPS);
    assertEquals(SHORT_NIGHT_STEPS, step(published));

    FlowExecution execution = start("2026-11-21", LONG_NIGHT_ROWS);
    // With the second checkpoint the line that tells the first one is written.
    awaitCheckpointAfter(SHORT_NIGHT_STEPS + CHECKPOINT_EVERY_STEPS);
    killProgram("train.py");
    FlowResult second = execution.await();

    assertEquals(log("train") + log("evaluate"), Status.SUCCEEDED, second.status());
    assertEquals(
        List.of(Status.FAILED, Status.SUCCEEDED),
        second.job("train").attempts().stream().map(JobAttempt::status).toList());
    List<String> applications = applicationIds("train");
    assertEquals("one of the first night, two of the second", 3, applications.size());
    String failed = output(applications.get(1));
    assertTrue(failed, failed.contains("from step " + SHORT_NIGHT_STEPS + " to "));
    int saved = lastSavedStep(failed);
    assertTrue("saved at " + saved, saved > SHORT_NIGHT_STEPS);
    int resumed = Integer.parseInt(output(second, "train", "first_step"));
    // The program may have ended between a checkpoint and the line that tells it.
    assertTrue(
        "resumed at " + resumed + ", saved at " + saved,
        resumed == saved || resumed == saved + CHECKPOINT_EVERY_STEPS);
    assertSteps(second, resumed, SHORT_NIGHT_STEPS + LONG_NIGHT_STEPS);
    assertEquals(SHORT_NIGHT_STEPS + LONG_NIGHT_STEPS, step(published));
  }

  /** Azkaban 2.5.0 ends a flow at its SLA as it does at a user's wish. */
  @Test
  public void shouldCatchUpWithANightThatItsSlaEnded() throws Exception {
    FlowExecution late = start("2026-11-20", LONG_NIGHT_ROWS);
    awaitCheckpointAfter(0);

    late.kill("the SLA");

    FlowResult killed = late.await();
    assertEquals(Status.KILLED, killed.status());
    assertEquals(Status.KILLED, killed.job("train").status());
    assertEquals(1, killed.job("train").attempts().size());
    assertEquals("KILLED", application("train").state());
    assertFalse(Files.exists(published));
    int saved = step(checkpoints.resolve("checkpoint.json"));

    FlowResult next = start("2026-11-21", SHORT_NIGHT_ROWS).await();

    assertEquals(log("train") + log("evaluate"), Status.SUCCEEDED, next.status());
    assertSteps(next, saved, LONG_NIGHT_STEPS + SHORT_NIGHT_STEPS);
    assertEquals(LONG_NIGHT_STEPS + SHORT_NIGHT_STEPS, step(published));
  }

  @Test
  public void shouldNotPublishAModelThatIsNotGoodEnough() throws Exception {
    FlowResult night =
        start(night("2026-11-20", SHORT_NIGHT_ROWS).property("minimum.accuracy", "1.01")).await();

    assertEquals(log("train"), Status.SUCCEEDED, night.job("train").status());
    assertEquals(log("evaluate"), Status.FAILED, night.job("evaluate").status());
    assertLogged("evaluate", "is below the minimum of 1.01");
    assertEquals(Status.CANCELLED, night.job("publish").status());
    assertFalse(Files.exists(published));
  }

  private Path shared() {
    return root().resolve("shared");
  }

  private FlowExecution start(String night, int rows) throws Exception {
    return start(night(night, rows));
  }

  private FlowRequest.Builder night(String night, int rows) throws Exception {
    return sample("nightly")
        .property("shared.dir", shared().toString())
        .property("night", night)
        .property("rows", Integer.toString(rows));
  }

  private void awaitCheckpointAfter(int step) throws IOException, InterruptedException {
    Path checkpoint = checkpoints.resolve("checkpoint.json");
    try (WatchService changes = checkpoints.getFileSystem().newWatchService()) {
      checkpoints.register(changes, StandardWatchEventKinds.ENTRY_CREATE);
      while (!Files.exists(checkpoint) || step(checkpoint) <= step) {
        WatchKey changed = changes.take();
        changed.pollEvents();
        changed.reset();
      }
    }
  }

  private static void assertSteps(FlowResult night, int first, int last) {
    assertEquals(Integer.toString(first), output(night, "train", "first_step"));
    assertEquals(Integer.toString(last), output(night, "train", "last_step"));
  }

  private static String output(FlowResult night, String job, String name) {
    Map<String, String> outputs = night.job(job).outputProperties();
    assertTrue(outputs.toString(), outputs.containsKey("tony.output." + name));
    return outputs.get("tony.output." + name);
  }

  /** How many steps a saved model has learned. */
  private static int step(Path model) throws IOException {
    Matcher step = STEP.matcher(read(model));
    assertTrue(step.find());
    return Integer.parseInt(step.group(1));
  }

  /** The step of the last checkpoint that a program told of. */
  private static int lastSavedStep(String output) {
    return SAVED
        .matcher(output)
        .results()
        .mapToInt(saved -> Integer.parseInt(saved.group(1)))
        .max()
        .orElse(0);
  }

  /** What the programs of an application wrote to their standard output. */
  private static String output(String application) throws IOException, InterruptedException {
    StringBuilder all = new StringBuilder();
    for (Path container : cluster().containerLogs(application)) {
      Path output = container.resolve("stdout");
      if (Files.exists(output)) {
        all.append(read(output));
      }
    }
    return all.toString();
  }
}
