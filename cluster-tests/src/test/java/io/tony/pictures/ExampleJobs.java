package io.tony.pictures;

import io.tony.event.JobDescription;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The jobs of a month. Each night trains digits; the last night, which the pages show, has two
 * restarts.
 */
final class ExampleJobs {
  private static final int LAST_NIGHT = 29;
  private static final Instant FIRST_DAY = Instant.parse("2026-10-26T00:00:00Z");
  private static final int STEPS = 12_000;

  /** Nights that are out of line: one that had little data, and one whose data was bad. */
  private static final int SHORT_NIGHT = 17;

  private static final int SHORT_STEPS = 3_600;

  private static final int BAD_NIGHT = 23;
  private static final int FAILED_RANKING = 27;

  private static final String IO_ERROR =
      """
      Traceback (most recent call last):
        File "train.py", line 88, in <module>
          batch = next(batches)
      OSError: [Errno 5] Input/output error
      """;

  private ExampleJobs() {}

  /** The last night's job, some minutes after its first restart. */
  static ExampleJob afterOneRestart() {
    return digits(LAST_NIGHT)
        .start(Duration.ofSeconds(52))
        .train(3_820)
        .loseNode(2)
        .start(Duration.ofSeconds(41))
        .train(6_900);
  }

  /** The last night's job, some minutes after its second restart. */
  static ExampleJob afterTwoRestarts() {
    return afterOneRestart().train(7_450).fail(1, IO_ERROR).start(Duration.ZERO).train(9_500);
  }

  /** All jobs. The last one of digits is the last to end. */
  static List<ExampleJob> ofTheMonth() {
    List<ExampleJob> jobs = new ArrayList<>();
    for (int night = 0; night <= LAST_NIGHT; night++) {
      if (night >= LAST_NIGHT - 9) {
        jobs.add(ranking(night));
      }
      jobs.add(night == LAST_NIGHT ? afterTwoRestarts().train(STEPS).succeed() : ended(night));
    }
    Instant end = jobs.get(jobs.size() - 1).now();
    jobs.add(cats(LAST_NIGHT - 1, end));
    return jobs;
  }

  private static ExampleJob ended(int night) {
    return digits(night)
        .start(Duration.ofSeconds(38 + night * 17 % 40))
        .train(night == SHORT_NIGHT ? SHORT_STEPS : STEPS)
        .succeed();
  }

  private static ExampleJob digits(int night) {
    int steps = night == SHORT_NIGHT ? SHORT_STEPS : STEPS;
    double loss = night == BAD_NIGHT ? 0.71 : 0.41 + night * 7 % 5 / 100.0;
    Instant submitted = day(night).plusSeconds(5_412 + night * 31 % 90);
    JobDescription.AzkabanStep step = step("digits", "nightly", "train", 3 * night + 1);
    return new ExampleJob(description("ada", step, 2), submitted, steps, loss);
  }

  private static ExampleJob ranking(int night) {
    Instant submitted = day(night).plusSeconds(903 + night * 13 % 60);
    JobDescription.AzkabanStep step = step("ranking", "daily", "update", 3 * night);
    ExampleJob job =
        new ExampleJob(description("grace", step, 0), submitted, 2_400, 0.28)
            .start(Duration.ofSeconds(21 + night * 11 % 20));
    return night == FAILED_RANKING ? job.train(1_650).exceedMemory(0) : job.train(2_400).succeed();
  }

  /** A job that still runs at this time. */
  private static ExampleJob cats(int night, Instant end) {
    Instant submitted = day(night).plus(Duration.ofHours(20));
    JobDescription.AzkabanStep step = step("cats", "weekly", "fit", 3 * night + 2);
    ExampleJob job =
        new ExampleJob(description("ada", step, 0), submitted, 160_000, 0.3)
            .start(Duration.ofSeconds(104));
    int steps = 0;
    while (job.now().isBefore(end)) {
      steps += 500;
      job.train(steps);
    }
    return job;
  }

  private static Instant day(int night) {
    return FIRST_DAY.plus(Duration.ofDays(night));
  }

  private static JobDescription.AzkabanStep step(
      String project, String flow, String job, int number) {
    return new JobDescription.AzkabanStep(project, flow, job, "" + (4_000 + number), 0);
  }

  private static JobDescription description(
      String user, JobDescription.AzkabanStep step, int restarts) {
    String name = step.job() + "-" + step.project();
    Map<String, String> options = new LinkedHashMap<>();
    options.put("tony.application.name", name);
    options.put("tony.application.framework", "pytorch");
    options.put("tony.application.executes", "python3 train.py");
    options.put("tony.yarn.queue", "research");
    options.put("tony.gang.max-restarts", "" + restarts);
    options.put("tony.worker.instances", "4");
    options.put("tony.worker.memory", "16g");
    options.put("tony.worker.vcores", "4");
    options.put("tony.worker.gpus", "1");
    return new JobDescription(user, "research", name, "pytorch", step, options, "");
  }
}
