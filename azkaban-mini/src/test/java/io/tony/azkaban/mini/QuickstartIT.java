package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import io.tony.mini.MiniClusterProcess.Application;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Test;

/** The two flows that the README shows: one that learns, and one that fails. */
public class QuickstartIT extends ClusterFlowTest {

  /** From the end of a failed program to the end of its job, on a machine that is not busy. */
  private static final Duration LIMIT = Duration.ofSeconds(2);

  /**
   * On a machine that is busy all of the job takes longer, its end as well as its start: there the
   * limit is half of the whole job, which is less than {@link #LIMIT} elsewhere.
   */
  private static final int PARTS = 2;

  private static final Pattern REASON =
      Pattern.compile(
          "FAILED after [0-9.]+ s \\(PROGRAM\\): worker:1 exited with code 1, log (?<log>http://\\S+)");

  @Test
  public void shouldTrainAModelThatTheNextJobJudges() throws Exception {
    FlowResult result = FlowEngine.run(sample("quickstart").build());

    assertEquals(log("train") + log("evaluate"), Status.SUCCEEDED, result.status());
    assertEquals(
        List.of("prepare", "train", "evaluate"),
        result.jobs().stream().map(StepResult::name).toList());
    Application application = application("train");
    assertEquals("SUCCEEDED", application.finalStatus());

    Map<String, String> outputs = result.job("train").outputProperties();
    String model = outputs.get("tony.output.model");
    assertTrue(outputs.toString(), model.startsWith(cluster().property("fs.default")));
    String json = cluster().hdfsText(URI.create(model).getPath());
    assertTrue(json, json.contains("\"weights\""));
    assertTrue(outputs.toString(), outputs.get("tony.tracking.url").contains(application.id()));
    assertLogged(
        "evaluate", "model " + model + ", train loss " + outputs.get("tony.output.train_loss"));
    assertLogged("evaluate", "accuracy ");
  }

  @Test
  public void shouldShowWhyAProgramFailedAtTheEndOfItsLog() throws Exception {
    FlowResult result = FlowEngine.run(sample("failing").build());

    assertEquals(Status.FAILED, result.status());
    assertEquals(Status.FAILED, result.job("train").status());
    assertEquals(Status.CANCELLED, result.job("publish").status());
    assertEquals(List.of(), result.job("publish").attempts());
    assertEquals(List.of(), events.lines("publish"));
    Application application = application("train");
    assertEquals("FAILED", application.finalStatus());

    assertEndsWithTheReason(events.lines("train"));
    JobAttempt attempt = result.job("train").attempts().get(0);
    Duration told = Duration.between(failureOfTheProgram(application), attempt.end());
    Duration part = attempt.duration().dividedBy(PARTS);
    Duration limit = part.compareTo(LIMIT) > 0 ? part : LIMIT;
    assertTrue(
        "the job's end came " + told + " later, which may take " + limit,
        told.compareTo(limit) <= 0);
  }

  /** What stands before the lines that the job type and Azkaban write at the end. */
  private static void assertEndsWithTheReason(List<String> log) throws IOException {
    List<String> lines = new ArrayList<>(log.subList(0, log.indexOf("Job run failed!")));
    String summary = lines.remove(lines.size() - 1);
    assertTrue(summary, summary.startsWith("train: the program failed (PROGRAM, exit code 1, "));
    String last = lines.get(lines.size() - 1);
    Matcher reason = REASON.matcher(last);
    assertTrue(last, reason.matches());
    assertEquals("    KeyError: 'petal_width'", lines.get(lines.size() - 2));
    int stderr = lines.lastIndexOf("The last lines of the stderr of worker:1:");
    assertEquals("    Traceback (most recent call last):", lines.get(stderr + 1));
    assertTrue(log.toString(), log.get(log.size() - 1).endsWith("with status FAILED"));
    try (InputStream page = URI.create(reason.group("log")).toURL().openStream()) {
      assertTrue(new String(page.readAllBytes(), StandardCharsets.UTF_8).contains("stderr"));
    }
  }

  /** When the failing program wrote its traceback, which is the last thing that it did. */
  private static Instant failureOfTheProgram(Application application) throws Exception {
    for (Path container : cluster().containerLogs(application.id())) {
      Path stderr = container.resolve("stderr");
      if (Files.exists(stderr) && read(stderr).contains("KeyError")) {
        return Files.getLastModifiedTime(stderr).toInstant();
      }
    }
    throw new AssertionError("no container has the traceback");
  }
}
