package io.tony.am.machine;

import io.tony.model.DistributedMode;
import io.tony.model.JobLimits;
import io.tony.model.JobSpec;
import io.tony.model.ProgramSignal;
import io.tony.model.RoleSpec;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import java.time.Duration;
import java.util.Random;

/** Jobs of every shape: roles of each supervision, both modes, all rules of the end, budgets. */
final class SimulatedJobs {
  /** As people write it. */
  private static final int NO_LIMIT = 1_000_000_000;

  private SimulatedJobs() {}

  /** The job with a least number of each role that may have one; it asks for more rather often. */
  static JobSpec elastic(JobSpec job) {
    JobSpec elastic = withLeast(job);
    JobLimits.Elasticity before = job.limits().elasticity();
    Duration growth = before.growInterval().dividedBy(5);
    return elastic.with(
        elastic.limits().with(new JobLimits.Elasticity(before.waitTimeout(), growth, false)));
  }

  private static JobSpec withLeast(JobSpec job) {
    JobSpec elastic = job;
    for (RoleSpec role : job.roles()) {
      boolean may =
          job.mode() == DistributedMode.GANG
              && role.supervision() == Supervision.TRACKED
              && role.maxTaskRetries() == 0
              && !job.dependencyRoles().contains(role.name());
      if (may && role.instances() > 1) {
        elastic = elastic.with(role.withMinInstances(1 + role.instances() / 3));
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
          && role.maxTaskRetries() == 0
          && role.instances() > 1) {
        elastic = elastic.with(role.withMinInstances(1));
      }
    }
    JobLimits.Elasticity often = elastic.limits().elasticity();
    return elastic.isElastic() && job.dependencyRoles().isEmpty()
        ? elastic.with(
            elastic
                .limits()
                .with(new JobLimits.Elasticity(often.waitTimeout(), often.growInterval(), true)))
        : elastic;
  }

  /**
   * A job by chance.
   *
   * @param joins whether its tasks are to leave and join: then it is one of those more often whose
   *     tasks may fail
   */
  static JobSpec random(Random random, boolean joins) {
    SampleJob job = SampleJob.job();
    if (random.nextInt(3) == 0) {
      job.growing(1.5, random.nextBoolean() ? 0 : 1600);
    }
    roles(job, random, joins);
    if (random.nextInt(4) == 0) {
      job.firstComeFirstServed();
    }
    if (random.nextInt(3) < (joins ? 2 : 1)) {
      job.failOnlyWhenAllFail();
    }
    if (random.nextInt(5) == 0) {
      job.chiefDecides();
    }
    limits(job, random);
    if (random.nextBoolean()) {
      job.stopsFutileRetries();
    }
    if (random.nextInt(3) == 0) {
      job.askSignal(ProgramSignal.USR1);
    }
    int preempted = random.nextInt(40) == 0 ? NO_LIMIT : random.nextInt(3);
    return job.retries(random.nextInt(3), random.nextInt(3), preempted).spec();
  }

  private static void roles(SampleJob job, Random random, boolean joins) {
    int shows = random.nextInt(6);
    if (shows == 0) {
      tensorBoard(job, random); // what is listed first is acted upon first
    }
    boolean prepares = !joins && random.nextInt(4) == 0;
    if (prepares) {
      job.role("prepare", 1 + random.nextInt(2), Supervision.TRACKED);
    }
    if (random.nextInt(3) < (joins ? 2 : 1)) {
      job.role("chief", 1, Supervision.TRACKED);
      mayStartAlone(job, random, 4);
    }
    if (random.nextBoolean()) {
      job.role("ps", 1 + random.nextInt(2), Supervision.UNTRACKED);
      mayStartAlone(job, random, 4);
      if (prepares) {
        job.after("prepare");
      }
    }
    job.workers((joins ? 2 : 1) + random.nextInt(4));
    if (prepares) {
      job.after("prepare");
    }
    if (!joins) {
      mayStartAlone(job, random, 4);
    }
    if (random.nextInt(8) == 0) {
      job.stopsJob();
    }
    if (random.nextInt(4) == 0) {
      job.role("evaluator", 1, Supervision.TRACKED);
      mayStartAlone(job, random, 4);
      boolean ignored = random.nextBoolean();
      if (random.nextBoolean()) {
        job.groupTimeout("evaluator", Duration.ofMinutes(2), ignored, "worker");
      }
      if (random.nextInt(3) == 0) {
        job.role("report", 1, Supervision.TRACKED).after("evaluator");
      }
    }
    if (shows == 1) {
      tensorBoard(job, random);
    }
  }

  private static void tensorBoard(SampleJob job, Random random) {
    job.role("tensorboard", 1, Supervision.SIDECAR);
    mayStartAlone(job, random, 2);
  }

  private static void mayStartAlone(SampleJob job, Random random, int seldom) {
    if (random.nextInt(seldom) == 0) {
      job.each(1 + random.nextInt(random.nextInt(4) == 0 ? 20 : 2));
    }
  }

  private static void limits(SampleJob job, Random random) {
    if (random.nextInt(3) == 0) {
      job.applicationLimit(Duration.ofHours(random.nextInt(6) == 0 ? 2 : 48));
    }
    if (random.nextInt(3) == 0) {
      job.allocationLimit(Duration.ofMinutes(5));
    }
    if (random.nextBoolean()) {
      job.hold(Duration.ofMinutes(1));
    }
    if (random.nextInt(3) > 0) {
      job.registrationLimit(Duration.ofMinutes(random.nextInt(3) == 0 ? 15 : 2));
    }
  }
}
