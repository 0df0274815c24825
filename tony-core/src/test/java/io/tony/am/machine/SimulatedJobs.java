package io.tony.am.machine;

import io.tony.model.DistributedMode;
import io.tony.model.JobLimits;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import java.time.Duration;
import java.util.Random;

/** Jobs of every shape: roles of each supervision, both modes, all rules of the end, budgets. */
final class SimulatedJobs {
  private SimulatedJobs() {}

  /** The job with a least number of each role that may have one. */
  static JobSpec elastic(JobSpec job) {
    JobSpec elastic = job;
    for (RoleSpec role : job.roles()) {
      boolean may =
          job.mode() == DistributedMode.GANG
              && role.supervision() == Supervision.TRACKED
              && role.retries() == 0
              && !job.awaited().contains(role.name());
      if (may && role.instances() > 1) {
        elastic = elastic.with(role.withLeast(1 + role.instances() / 3));
      }
    }
    return elastic;
  }

  /** The same, whose tasks leave and join while the others run, where they can. */
  static JobSpec joining(JobSpec job) {
    JobSpec elastic = elastic(job);
    for (RoleSpec role : job.roles()) {
      if (job.mode() == DistributedMode.GANG
          && role.supervision() == Supervision.UNTRACKED
          && role.instances() > 1) {
        elastic = elastic.with(role.withLeast(1));
      }
    }
    JobLimits.Elasticity before = job.limits().elasticity();
    return elastic.isElastic() && job.awaited().isEmpty()
        ? elastic.with(
            elastic
                .limits()
                .with(new JobLimits.Elasticity(before.patience(), before.growth(), true)))
        : elastic;
  }

  static JobSpec random(Random random) {
    SampleJob job = SampleJob.job();
    if (random.nextInt(3) == 0) {
      job.growing(1.5, random.nextBoolean() ? 0 : 1600);
    }
    boolean prepares = random.nextInt(4) == 0;
    if (prepares) {
      job.role("prepare", 1 + random.nextInt(2), Supervision.TRACKED);
    }
    if (random.nextInt(4) == 0) {
      job.role("chief", 1, Supervision.TRACKED);
    }
    if (random.nextBoolean()) {
      job.role("ps", 1 + random.nextInt(2), Supervision.UNTRACKED);
      if (prepares) {
        job.after("prepare");
      }
    }
    job.workers(1 + random.nextInt(4));
    if (prepares) {
      job.after("prepare");
    }
    if (random.nextInt(4) == 0) {
      job.each(1 + random.nextInt(2));
    }
    if (random.nextInt(8) == 0) {
      job.stopsJob();
    }
    if (random.nextInt(4) == 0) {
      job.role("evaluator", 1, Supervision.TRACKED);
      if (random.nextBoolean()) {
        job.groupTimeout("evaluator", Duration.ofMinutes(2), random.nextBoolean(), "worker");
      }
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
    if (random.nextInt(5) == 0) {
      job.chiefDecides();
    }
    if (random.nextInt(3) == 0) {
      job.applicationLimit(Duration.ofHours(1));
    }
    if (random.nextInt(3) == 0) {
      job.allocationLimit(Duration.ofMinutes(5));
    }
    if (random.nextBoolean()) {
      job.hold(Duration.ofMinutes(1));
    }
    if (random.nextBoolean()) {
      job.registrationLimit(Duration.ofMinutes(15));
    }
    if (random.nextBoolean()) {
      job.stopsFutileRetries();
    }
    return job.retries(random.nextInt(3), random.nextInt(3), random.nextInt(3)).spec();
  }
}
