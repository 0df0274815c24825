package io.tony.history;

import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.event.TaskFact;
import io.tony.eventlog.EventJson;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Logs of jobs in local folders, as ApplicationMasters leave them. */
public final class RecordedJobs {
  static final Instant BEGIN = Instant.parse("2026-11-23T08:00:00Z");

  private RecordedJobs() {}

  public static String id(int number) {
    return String.format(Locale.ROOT, "application_1700000000000_%04d", number);
  }

  static JobDescription description(int number) {
    return new JobDescription(
        "ada",
        "research",
        "train-" + number,
        "pytorch",
        new JobDescription.AzkabanStep("digits", "nightly", "train", "" + number, 0),
        Map.of(),
        "");
  }

  /** When a job was submitted: one a minute. */
  public static Instant submitted(int number) {
    return BEGIN.plus(Duration.ofMinutes(number));
  }

  /** The facts of a job of two workers until its gang runs. */
  public static List<Fact> begin(int number) {
    return List.of(
        new JobFact.MasterStarted(
            1, "node-1", 2, null, new JobFact.LaunchTimes(submitted(number), null)),
        new JobFact.Described(description(number)),
        new GangFact.Requested(2, "2 × worker", List.of("worker")),
        new GangFact.Running());
  }

  public static List<Fact> end(double loss) {
    return List.of(
        new JobFact.UsageReport(Map.of("worker:0", "700 0.97", "worker:1", "812 0.97")),
        new TaskFact.Progressed(new TaskId("worker", 0), "step 10/10"),
        new TaskFact.Succeeded(
            new TaskId("worker", 0), Map.of("loss", "" + loss, "model", "hdfs://m"), ""),
        new JobFact.Finished(JobResult.succeeded("all 2 workers succeeded")));
  }

  /** Adds to a job's log; the first event is 5 s after the submission, each other 1 s later. */
  public static void write(Path history, int number, List<Fact> facts) throws IOException {
    Path folder = Files.createDirectories(history.resolve(id(number)));
    Path file = folder.resolve("events.jsonl");
    long lines = Files.exists(file) ? Files.readAllLines(file).size() : 0;
    StringBuilder text = new StringBuilder();
    for (Fact fact : facts) {
      Instant at = submitted(number).plusSeconds(5 + lines++);
      text.append(EventJson.write(fact.toEvent(at, 0))).append('\n');
    }
    Files.writeString(
        file, text, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  public static void writeEnded(Path history, int number) throws IOException {
    write(history, number, begin(number));
    write(history, number, end(1.0 / (number + 1)));
  }
}
