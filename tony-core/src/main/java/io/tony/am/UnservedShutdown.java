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
 * The end of a job whose ApplicationMaster cannot be asked anything: it finds no port, or may not
 * keep the log without which it does not begin.
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
   * Tells the end by the event log and by YARN, from which the client has it.
   *
   * @param now the time of the end
   * @param scheduler does not know this ApplicationMaster yet
   * @throws NoFreePortException when another ApplicationMaster is to try
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
    log.start((first, lines) -> {}); // it is written, though nobody is served who could be told
    if (retryPolicy.tryHandOver(now)) {
      throw why;
    }
    LOG.error("No other ApplicationMaster is left to try", why);
    JobResult result =
        state.phase() == Phase.FINISHED
            ? state.result() // its predecessor was lost before it could tell YARN
            : DefectHandler.failJob(loop, why, log, application);
    log.close();
    unregister(result, state, loop, scheduler.register(host, 0));
  }

  /**
   * Tells the end by YARN alone: another ApplicationMaster would meet the same.
   *
   * @param registered knows this ApplicationMaster
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
