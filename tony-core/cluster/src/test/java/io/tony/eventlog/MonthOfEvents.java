package io.tony.eventlog;

import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobFact;
import io.tony.event.TaskFact;
import io.tony.model.Endpoint;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The log of a job whose chief has told its progress every two seconds for a month: 240 MB. */
public final class MonthOfEvents {
  /** Events that tell progress. */
  public static final int COUNT = (int) Duration.ofDays(30).dividedBy(Duration.ofSeconds(2));

  private static final Instant BEGIN = Instant.parse("2026-10-01T00:00:00Z");
  private static final TaskId WORKER = new TaskId("worker", 0);
  private static final String BEFORE_NUMBER = "step ";

  private MonthOfEvents() {}

  /** Writes it, with the job's end, into the folder of an application; makes the folder. */
  public static void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    try (BufferedWriter out = Files.newBufferedWriter(folder.resolve("events.jsonl"))) {
      for (Fact fact : begin()) {
        add(out, line(fact, BEGIN));
      }
      String[] parts = line(progress(0), BEGIN).split(BEGIN + "|(?<=" + BEFORE_NUMBER + ")0", -1);
      for (int number = 0; number < COUNT; number++) {
        Instant at = BEGIN.plusSeconds(2L * number);
        add(out, parts[0] + at + parts[1] + number + parts[2]);
      }
      add(
          out,
          line(new JobFact.Finished(JobResult.succeeded("done")), BEGIN.plusSeconds(2L * COUNT)));
    }
  }

  /** The fact of which there are so many. */
  public static TaskFact.Progressed progress(int number) {
    return new TaskFact.Progressed(
        WORKER,
        BEFORE_NUMBER + number + "/1300000 loss 2.7182818 lr 3.0e-4 grad_norm 0.71 1523 tokens/s");
  }

  private static List<Fact> begin() {
    return List.of(
        new JobFact.MasterStarted(1, "node-1", 1, null, new JobFact.LaunchTimes(BEGIN, null)),
        new GangFact.Requested(1, "1 × worker", List.of("worker")),
        new TaskFact.Allocated(WORKER, "container_7", "node-1", "http://node-1:8042/log"),
        new TaskFact.Registered(WORKER, new Endpoint("node-1", 7000), 0),
        new TaskFact.Started(WORKER, 4711),
        new GangFact.Running());
  }

  private static String line(Fact fact, Instant at) {
    return EventJson.write(fact.toEvent(at, 0));
  }

  private static void add(BufferedWriter out, String line) throws IOException {
    out.write(line);
    out.write('\n');
  }
}
