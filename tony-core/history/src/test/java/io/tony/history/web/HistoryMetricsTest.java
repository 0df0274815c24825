package io.tony.history.web;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.event.UsageFact;
import io.tony.history.HistoryIndex;
import io.tony.history.OwnedHomes;
import io.tony.history.RecordedJobs;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** What the history service tells of all jobs. */
public class HistoryMetricsTest {
  /** The first of them begins at 8:00, the next ones a minute later each. */
  private static final Instant NOW = Instant.parse("2026-11-23T08:30:00Z");

  private static final JobResult WELL = JobResult.succeeded("well");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private Path history;
  private HistoryIndex index;
  private HistoryMetrics metrics;

  @Before
  public void open() throws IOException {
    history = home("ada");
    index =
        new HistoryIndex(
            new OwnedHomes(), List.of(folder.getRoot() + "/user/*/history"), null, 2, () -> NOW);
    metrics = new HistoryMetrics(index);
  }

  private Path home(String user) throws IOException {
    return Files.createDirectories(folder.getRoot().toPath().resolve("user/" + user + "/history"));
  }

  @After
  public void close() throws IOException {
    index.close();
  }

  private void update() throws Exception {
    metrics.recordUpdate(index.update(), NOW, Duration.ofMillis(1_500));
  }

  private void assertTold(String... lines) {
    String text = metrics.text(NOW);
    for (String line : lines) {
      assertTrue(line + " in " + text, text.contains("\n" + line + "\n"));
    }
  }

  private void end(int number, String queue, JobResult result, double share) throws IOException {
    end(history, number, queue, "j", result, share);
  }

  private static void end(
      Path history, int number, String queue, String job, JobResult result, double share)
      throws IOException {
    JobDescription.AzkabanStep step =
        new JobDescription.AzkabanStep("p \"1\"", "f", job, "" + number, 0);
    List<Fact> facts =
        List.of(
            new JobFact.MasterStarted(
                1,
                "node-1",
                2,
                null,
                new JobFact.LaunchTimes(NOW.minus(Duration.ofMinutes(30 - number)), null)),
            new JobFact.Described(
                new JobDescription("ada", queue, "train", "pytorch", step, Map.of(), "")),
            new GangFact.Running(),
            new UsageFact.Goodput(
                1_000 - (long) (1_000 * share), 0, (long) (1_000 * share), Map.of(), 0, 0, true),
            new JobFact.Finished(result));
    RecordedJobs.write(history, number, facts);
  }

  @Test
  public void shouldTellWhatTheIndexShows() throws Exception {
    end(1, "research", JobResult.succeeded("well"), 0.5);
    end(2, "research", JobResult.succeeded("well"), 1);
    end(3, "a\\b", JobResult.failed(FailureKind.MEMORY, "too much"), 0);
    RecordedJobs.write(history, 4, RecordedJobs.begin(4));
    update();
    assertTold(
        "tony_history_jobs{status=\"running\"} 1",
        "tony_history_jobs{status=\"succeeded\"} 2",
        "tony_history_jobs{status=\"failed\"} 1",
        "tony_history_recent_jobs{queue=\"research\",window=\"1h\"} 2",
        "tony_history_queue_wait_seconds{queue=\"research\",window=\"1h\",stat=\"median\"} 7",
        "tony_history_queue_wait_seconds{queue=\"a\\\\b\",window=\"1d\",stat=\"max\"} 7",
        "tony_history_goodput_ratio{queue=\"research\",window=\"1d\"} 0.75",
        "tony_history_step_last_success_timestamp_seconds{user=\"ada\",project=\"p \\\"1\\\"\",flow=\"f\",step=\"j\"} "
            + RecordedJobs.submitted(2).plusSeconds(9).getEpochSecond(),
        "tony_history_updated_timestamp_seconds " + NOW.getEpochSecond(),
        "tony_history_update_duration_seconds 1.5",
        "tony_history_unreadable_folders 0");
  }

  @Test
  public void shouldForgetInItsWindowsWhatEndedBefore() throws Exception {
    end(1, "research", JobResult.succeeded("well"), 0.5);
    update();
    String later = metrics.text(NOW.plus(Duration.ofHours(2)));
    assertFalse(later, later.contains("window=\"1h\""));
    assertTrue(later, later.contains("window=\"1d\""));
  }

  @Test
  public void shouldCountOnlyWhatEndsWhileItWatches() throws Exception {
    end(1, "research", JobResult.failed(FailureKind.PROGRAM, "boom"), 0);
    RecordedJobs.write(history, 22, RecordedJobs.begin(22));
    update();
    assertTold(
        "tony_history_ended_jobs_total{status=\"failed\"} 0",
        "tony_history_failures_total{kind=\"PROGRAM\"} 0");

    RecordedJobs.write(history, 22, RecordedJobs.end(0.5));
    end(23, "research", JobResult.failed(FailureKind.PROGRAM, "boom"), 0);
    update();
    update();
    String[] counted = {
      "tony_history_ended_jobs_total{status=\"succeeded\"} 1",
      "tony_history_ended_jobs_total{status=\"failed\"} 1",
      "tony_history_failures_total{kind=\"PROGRAM\"} 1",
      "tony_history_failures_total{kind=\"LOST\"} 0"
    };
    assertTold(counted);

    delete(23);
    update();
    assertTold("tony_history_jobs{status=\"failed\"} 1");
    assertTold(counted);
  }

  private void delete(int number) throws IOException {
    Path job = history.resolve(RecordedJobs.id(number));
    try (Stream<Path> files = Files.list(job)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(job);
  }

  /** As with the rights of a folder that are changed for a moment. */
  @Test
  public void shouldNotCountAgainWhatWasOutOfSight() throws Exception {
    end(1, "research", JobResult.failed(FailureKind.PROGRAM, "boom"), 0);
    update();
    Path away = folder.getRoot().toPath().resolve("away");
    Files.move(history, away);
    update();
    assertTold("tony_history_jobs{status=\"failed\"} 0");

    Files.move(away, history);
    update();

    assertTold(
        "tony_history_jobs{status=\"failed\"} 1",
        "tony_history_ended_jobs_total{status=\"failed\"} 0");
  }

  @Test
  public void shouldTellHowOldTheIndexIs() {
    metrics.recordUpdateFailure();
    assertTold("tony_history_updated_timestamp_seconds 0", "tony_history_update_failures_total 1");
  }

  @Test
  public void shouldStaySmallHoweverManyQueuesThereAre() throws Exception {
    for (int i = 0; i < RecentJobs.MAX_QUEUES + 5; i++) {
      end(1_000 + i, "queue-" + i, JobResult.succeeded("well"), 1);
    }
    end(2_000, "queue-100", JobResult.succeeded("well"), 1);
    update();
    String text = metrics.text(NOW.plus(Duration.ofHours(30)));
    long queues =
        text.lines()
            .filter(line -> line.startsWith("tony_history_recent_jobs{"))
            .filter(line -> line.contains("\"1d\""))
            .count();
    assertTrue(queues + " queues", queues == RecentJobs.MAX_QUEUES);
    assertTrue("the one with the most jobs is told", text.contains("queue=\"queue-100\""));
  }

  private static String success(String user, String step) {
    return "tony_history_step_last_success_timestamp_seconds{user=\""
        + user
        + "\",project=\"p \\\"1\\\"\",flow=\"f\",step=\""
        + step
        + "\"} ";
  }

  @Test
  public void shouldKeepTheSuccessOfAStepApartFromWhatAnotherUsersLogSays() throws Exception {
    end(1, "research", WELL, 1);
    end(home("mallory"), 2, "research", "j", WELL, 1);
    update();
    assertTold(
        success("ada", "j") + RecordedJobs.submitted(1).plusSeconds(9).getEpochSecond(),
        success("mallory", "j") + RecordedJobs.submitted(2).plusSeconds(9).getEpochSecond());
  }

  @Test
  public void shouldCountAnEndThoughAnotherUserMadeALogOfThatIdBefore() throws Exception {
    end(home("mallory"), 21, "research", "j", WELL, 1);
    update();
    end(21, "research", JobResult.failed(FailureKind.PROGRAM, "boom"), 0);
    update();
    assertTold("tony_history_failures_total{kind=\"PROGRAM\"} 1");
  }

  @Test
  public void shouldTellFiveHundredStepsAndOfEachUserSome() throws Exception {
    end(1, "research", WELL, 1);
    for (int i = 2; i < 520; i++) {
      end(home("mallory"), i, "queue-" + i, "invented-" + i, WELL, 1);
    }
    update();
    String text = metrics.text(NOW.plus(Duration.ofHours(12)));
    assertEquals(500, text.lines().filter(line -> line.contains(",step=")).count());
    assertTrue(text, text.contains(success("ada", "j")));
    assertTrue(text, text.contains("tony_history_recent_jobs{queue=\"research\",window=\"1d\"} 1"));
  }
}
