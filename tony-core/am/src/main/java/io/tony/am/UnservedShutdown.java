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
import java.util.Objects;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a job whose ApplicationMaster cannot serve requests, because it found no free port or must
 * not write the event log.
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
   * Fails the job because no port is free: records the end in the event log and reports the result
   * to YARN, from which the client learns it. Leaves the job to the next ApplicationMaster attempt
   * if there will be one.
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
    // Starts writing the event log. The callback does nothing, because no server passes new lines
    // to clients.
    log.start((first, lines) -> {});
    if (retryPolicy.tryHandOver(now)) {
      throw why;
    }
    LOG.error("No other ApplicationMaster is left to try", why);
    JobResult result =
        state.phase() == Phase.FINISHED
            // The job has already ended: an earlier ApplicationMaster recorded the end, but was
            // lost before it reported it to YARN.
            ? Objects.requireNonNull(state.result())
            : DefectHandler.failJob(loop, why, log, application);
    log.close();
    unregister(result, state, loop, scheduler.register(host, 0));
  }

  /**
   * Fails the job because this ApplicationMaster must not write the event log: reports the result
   * to YARN only, because another ApplicationMaster would fail in the same way.
   *
   * @param registered scheduler with which this ApplicationMaster is registered
   */
  void finish(ForeignLogException why, JobState state, AmLoop loop, RegisteredScheduler registered)
      throws IOException, YarnException {
    LOG.error("The job ends: {}", why.getMessage());
    unregister(
        JobResult.failed(FailureKind.AM_LOST, Objects.requireNonNull(why.getMessage())),
        state,
        loop,
        registered);
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
