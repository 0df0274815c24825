package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** Programs that fail again and again: which of them are started again, and how often. */
public class FutileRetriesIT extends ClusterTest {
  private static final String BAD_RECORD = "echo \"ValueError: bad record $$\" >&2; exit 3";

  private final String began = Instant.now().toString();

  private Path starts() {
    return folder.getRoot().toPath().resolve("starts");
  }

  private int countStarts() throws Exception {
    return Files.readAllLines(starts()).size();
  }

  /** Each start of the program leaves a line. */
  private String program(String command) {
    return "echo start >> '" + starts() + "'; " + command;
  }

  private TonyCommand step(int attempt, String command, String... conf) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("-executes", program(command)));
    List<String> options =
        new ArrayList<>(
            List.of(
                "tony.azkaban.project=recommender",
                "tony.azkaban.flow=nightly",
                "tony.azkaban.execution=" + began.hashCode(),
                "tony.azkaban.job=train",
                "tony.azkaban.flow-start=" + began,
                "tony.azkaban.attempt=" + attempt,
                "tony.worker.instances=1"));
    options.addAll(List.of(conf));
    for (String option : options) {
      arguments.addAll(List.of("-conf", option));
    }
    return submit(arguments.toArray(String[]::new));
  }

  @Test
  public void shouldStartTwiceWhatFailsTheSameWayAndNotAgainInALaterAttempt() throws Exception {
    String application;
    try (TonyCommand tony = step(0, BAD_RECORD, "tony.gang.max-restarts=5")) {
      tony.assertExit(1);
      application = tony.application();
      assertTrue(
          tony.text(),
          tony.text()
              .contains(
                  "(PROGRAM): worker:0 exited with code 3 (ValueError); it failed so twice in a row,"
                      + " without any progress. Another start would end the same way: 4 retries"
                      + " are left unspent."));
    }
    assertEquals(2, countStarts());
    assertEquals(1, events(application, JobEvent.Type.GANG_RESTARTED).size());
    JobEvent end = events(application, JobEvent.Type.JOB_FINISHED).get(0);
    assertEquals("true", end.detail("futile"));
    assertEquals("PROGRAM", end.detail("kind"));

    int before = applications();
    String retries = "tony.azkaban.retries=2";
    try (TonyCommand again = step(1, BAD_RECORD, "tony.gang.max-restarts=5", retries)) {
      again.assertExit(1);
      assertEquals(application, again.application());
      assertTrue(again.text(), again.text().contains("nothing is submitted: " + application));
      String last = again.lines().get(again.lines().size() - 1);
      assertTrue(last, last.contains("Another start would end the same way"));
    }
    assertEquals(before, applications());
    assertEquals(2, countStarts());

    try (TonyCommand changed =
        step(2, BAD_RECORD, "tony.gang.max-restarts=5", "tony.worker.env.FIXED=yes", retries)) {
      changed.assertExit(1);
      assertNotEquals(application, changed.application());
    }
    assertEquals(before + 1, applications());
    assertEquals(4, countStarts());
  }

  /** With no restart of the gang, only Azkaban's own retries can tell. */
  @Test
  public void shouldSubmitNothingAfterTwoAttemptsThatFailedTheSameWay() throws Exception {
    String retries = "tony.azkaban.retries=3";
    for (int attempt = 0; attempt < 2; attempt++) {
      try (TonyCommand tony = step(attempt, BAD_RECORD, retries)) {
        tony.assertExit(1);
      }
    }
    assertEquals(2, countStarts());

    try (TonyCommand third = step(2, BAD_RECORD, retries)) {
      third.assertExit(1);
      assertTrue(
          third.text(),
          third
              .text()
              .contains(
                  "of an earlier attempt of this job and the one before it, with the same options"
                      + " and files, failed in the same way; its result is taken"));
    }
    assertEquals(2, countStarts());

    try (TonyCommand wanted =
        step(3, BAD_RECORD, retries, "tony.gang.stop-repeated-failures=false")) {
      wanted.assertExit(1);
    }
    assertEquals(3, countStarts());
  }

  /** Azkaban's "Retry Failed": somebody has mended the data, and asks by hand. */
  @Test
  public void shouldTryAgainWhenAPersonAsksForIt() throws Exception {
    try (TonyCommand tony = step(0, BAD_RECORD, "tony.gang.max-restarts=5")) {
      tony.assertExit(1);
    }
    assertEquals(2, countStarts());

    try (TonyCommand asked = step(1, BAD_RECORD, "tony.gang.max-restarts=5")) {
      asked.assertExit(1);
      assertFalse(asked.text(), asked.text().contains("nothing is submitted"));
    }
    assertEquals(4, countStarts());
  }

  @Test
  public void shouldSpendAllRetriesOnAProgramThatFailsAtGrowingSteps() throws Exception {
    String grows = "echo \"step $TONY_ATTEMPT/9\" > $TONY_PROGRESS_FILE; " + BAD_RECORD;
    try (TonyCommand tony = step(0, grows, "tony.gang.max-restarts=3")) {
      tony.assertExit(1);
      assertEquals(3, events(tony.application(), JobEvent.Type.GANG_RESTARTED).size());
      assertEquals(
          List.of("0/9", "1/9", "2/9", "3/9"),
          events(tony.application(), JobEvent.Type.TASK_FAILED).stream()
              .map(event -> event.detail("step"))
              .toList());
    }
    assertEquals(4, countStarts());
  }

  @Test
  public void shouldEndTheRetriesOfARole() throws Exception {
    try (TonyCommand tony = step(0, BAD_RECORD, "tony.worker.retry-count=5")) {
      tony.assertExit(1);
      assertTrue(tony.text(), tony.text().contains("4 retries are left unspent"));
      assertEquals(1, events(tony.application(), JobEvent.Type.TASK_RESTARTED).size());
    }
    assertEquals(2, countStarts());
  }

  @Test
  public void shouldSpendAllRetriesWhereThatIsWanted() throws Exception {
    try (TonyCommand tony =
        step(0, BAD_RECORD, "tony.gang.max-restarts=2", "tony.gang.stop-repeated-failures=false")) {
      tony.assertExit(1);
    }
    assertEquals(3, countStarts());
  }
}
