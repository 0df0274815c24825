package io.tony.am;

import io.tony.am.machine.JobState;
import io.tony.am.machine.JobStateReducer;
import io.tony.am.usage.Adviser;
import io.tony.am.usage.Metrics;
import io.tony.am.usage.Stragglers;
import io.tony.am.usage.UsageJournal;
import io.tony.config.TonyConfig;
import io.tony.config.declared.TaskOptions;
import io.tony.eventlog.EventLog;
import io.tony.model.JobSpec;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;

/**
 * What earlier ApplicationMasters of a job left.
 *
 * @param metrics of this one's own
 * @param journal takes what this one adds to it, once it is started
 */
record RecoveredState(JobState state, Metrics metrics, UsageJournal journal) {
  /**
   * Reads the log once, event by event: that of a job of months is longer than the heap.
   *
   * @param seed a number of its own for each application
   * @param memoryStepMiB in which YARN gives memory
   */
  static RecoveredState read(
      EventLog log,
      JobSpec job,
      TonyConfig config,
      long seed,
      long memoryStepMiB,
      InstantSource clock)
      throws IOException {
    Metrics metrics = new Metrics(job, clock);
    Duration interval = config.get(TaskOptions.METRICS_INTERVAL);
    UsageJournal journal =
        new UsageJournal(
            log,
            metrics,
            Adviser.of(job, config, memoryStepMiB),
            new Stragglers(job, interval),
            interval,
            clock);
    JobStateReducer reducer = new JobStateReducer(job, seed);
    log.readEarlier(
        event -> {
          journal.resume(event);
          reducer.add(event);
        });
    return new RecoveredState(reducer.state(), metrics, journal);
  }
}
