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
 * State of the job according to the events that earlier ApplicationMasters have recorded in the
 * event log; the initial state if this is the first ApplicationMaster.
 *
 * @param metrics collects the metrics of this ApplicationMaster
 * @param journal once started, records this ApplicationMaster's use of resources in the event log
 */
record RecoveredState(JobState state, Metrics metrics, UsageJournal journal) {
  /**
   * Reads the events of earlier ApplicationMasters and applies them to the job's state one by one:
   * the event log of a job that ran for months does not fit into the heap.
   *
   * @param seed seed of the job's random decisions; different for each application
   * @param memoryStepMiB unit in which YARN allocates memory to containers, in MiB
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
          journal.replay(event);
          reducer.add(event);
        });
    return new RecoveredState(reducer.state(), metrics, journal);
  }
}
