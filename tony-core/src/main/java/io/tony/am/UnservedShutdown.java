package io.tony.am;

import io.tony.am.http.NoFreePortException;
import io.tony.am.loop.AmLoop;
import io.tony.am.loop.DefectHandler;
import io.tony.am.machine.JobState;
import io.tony.am.machine.Phase;
import io.tony.am.scheduler.Containers;
import io.tony.am.scheduler.RegisteredScheduler;
import io.tony.am.scheduler.Scheduler;
import io.tony.container.Staging;
import io.tony.eventlog.EventLog;
import io.tony.eventlog.ForeignLogException;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import java.io.IOException;
import java.time.Instant;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a job whose ApplicationMaster cannot serve requests: it found no free port, or must not
 * write the event log.
 */
final class UnservedShutdown {
  private static final Logger LOG = LoggerFactory.getLogger(UnservedShutdown.class);

  private final Staging staging;
  private final String host;
  private final String application;

  UnservedShutdown(Staging staging, String host, String application) {
    this.staging = staging;
    this.host = host;
    this.application = application;
  }

  /**
   * Records the job's end in the event log and reports it to YARN, from which the client learns it.
   *
   * @param now time of the end
   * @param scheduler scheduler with which this ApplicationMaster is not registered yet
   * @throws NoFreePortException if another ApplicationMaster attempt will follow
   */
  void finish(
      NoFreePortException why,
      Instant now,
      AmRetryPolicy retryPolicy,
      JobState state,
      AmLoop loop,
      EventLog log,
      Scheduler scheduler)
      throws IOException, YarnException {
    // Starts writing the event log. Nobody is notified of new lines, because there is no server.
    log.start((first, lines) -> {});
    if (retryPolicy.tryHandOver(now)) {
      throw why;
    }
    LOG.error("No other ApplicationMaster is left to try", why);
    JobResult result =
        state.phase() == Phase.FINISHED
            // An earlier ApplicationMaster was lost before it could unregister.
            ? state.result()
            : DefectHandler.failJob(loop, why, log, application);
    log.close();
    unregister(result, state, loop, scheduler.register(host, 0));
  }

  /**
   * Reports the job's end to YARN, without recording it in the event log: another ApplicationMaster
   * would fail in the same way.
   *
   * @param registered scheduler with which this ApplicationMaster is registered
   */
  void finish(ForeignLogException why, JobState state, AmLoop loop, RegisteredScheduler registered)
      throws IOException, YarnException {
    LOG.error("The job ends: {}", why.getMessage());
    unregister(JobResult.failed(FailureKind.AM_LOST, why.getMessage()), state, loop, registered);
  }

  private void unregister(
      JobResult result, JobState state, AmLoop loop, RegisteredScheduler registered)
      throws IOException, YarnException {
    try (Containers containers = registered.containers(loop)) {
      containers.start(state::taskKeysIn);
      containers.unregister(result);
    }
    staging.delete();
  }
}
