package io.tony.am.machine;

import io.tony.model.JobSpec;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import java.time.Duration;
import java.util.Random;

/** Jobs of every shape: roles of each supervision, both modes, both rules of failure, budgets. */
final class SimulatedJobs {
  private SimulatedJobs() {}

  static JobSpec random(Random random) {
    SampleJob job = SampleJob.job();
    if (random.nextInt(4) == 0) {
      job.role("chief", 1, Supervision.TRACKED);
    }
    if (random.nextBoolean()) {
      job.role("ps", 1 + random.nextInt(2), Supervision.UNTRACKED);
    }
    job.workers(1 + random.nextInt(4));
    if (random.nextInt(4) == 0) {
      job.role("evaluator", 1, Supervision.TRACKED);
    }
    if (random.nextInt(3) == 0) {
      job.role("tensorboard", 1, Supervision.SIDECAR);
    }
    if (random.nextInt(4) == 0) {
      job.firstComeFirstServed();
    }
    if (random.nextInt(3) == 0) {
      job.failOnlyWhenAllFail();
    }
    if (random.nextInt(3) == 0) {
      job.applicationLimit(Duration.ofHours(1));
    }
    if (random.nextInt(3) == 0) {
      job.allocationLimit(Duration.ofMinutes(5));
    }
    if (random.nextBoolean()) {
      job.registrationLimit(Duration.ofMinutes(15));
    }
    return job.retries(random.nextInt(3), random.nextInt(3)).spec();
  }
}
