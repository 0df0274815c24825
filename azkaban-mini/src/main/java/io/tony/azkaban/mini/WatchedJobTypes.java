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
 * Azkaban's job types: the built-in ones and those of a plugins folder. All jobs and their loggers
 * are created through this class, which gives the engine access to a job's progress and log lines.
 */
final class WatchedJobTypes extends JobTypeManager {

  private final Map<Props, Job> jobs = Collections.synchronizedMap(new IdentityHashMap<>());
  private volatile BiConsumer<Props, Logger> onJob = (properties, logger) -> {};

  WatchedJobTypes(Path plugins) {
    super(plugins.toString(), WatchedJobTypes.class.getClassLoader());
  }

  /**
   * Sets a listener that is called with a job's properties and logger before the job is created.
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
   * Returns a job's progress, from 0 to 1; 0 before the job is created and if the progress is
   * unknown.
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
      // A job type may throw any exception here; treat it as unknown progress.
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
