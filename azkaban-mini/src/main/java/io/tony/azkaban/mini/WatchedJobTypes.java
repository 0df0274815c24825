package io.tony.azkaban.mini;

import azkaban.execapp.JobRunner;
import azkaban.jobExecutor.Job;
import azkaban.jobtype.JobTypeManager;
import azkaban.jobtype.JobTypeManagerException;
import azkaban.utils.Props;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.log4j.Logger;

/**
 * Azkaban's registry of job types, with the built-in ones and those of a plugins folder. Azkaban
 * creates all jobs through it, so it gives the engine access to each job's progress and log.
 */
final class WatchedJobTypes extends JobTypeManager {

  private final Map<Props, Job> jobs = Collections.synchronizedMap(new IdentityHashMap<>());
  private volatile BiConsumer<Props, Logger> onJob = (properties, logger) -> {};

  WatchedJobTypes(Path plugins) {
    super(plugins.toString(), WatchedJobTypes.class.getClassLoader());
  }

  /**
   * Sets the listener that is called before each job is created, with the job's properties and
   * logger.
   */
  void onJob(BiConsumer<Props, Logger> listener) {
    onJob = listener;
  }

  @Override
  public Job buildJobExecutor(String jobId, Props properties, Logger logger)
      throws JobTypeManagerException {
    onJob.accept(properties, logger);
    Job job = super.buildJobExecutor(jobId, properties, logger);
    jobs.put(properties, job);
    return job;
  }

  /**
   * Returns the progress that a runner's job reports, from 0 to 1; 0 if it is unknown or if the job
   * has not been created yet.
   */
  double progress(JobRunner runner) {
    Job job = jobs.get(runner.getProps());
    if (job == null) {
      return 0;
    }
    try {
      double progress = job.getProgress();
      return Double.isNaN(progress) ? 0 : Math.min(1, Math.max(0, progress));
    } catch (Exception e) {
      // A job type may throw any exception; its progress is then unknown.
      return 0;
    }
  }

  boolean hasJob(JobRunner runner) {
    return jobs.containsKey(runner.getProps());
  }

  void forget(JobRunner runner) {
    jobs.remove(runner.getProps());
  }
}
