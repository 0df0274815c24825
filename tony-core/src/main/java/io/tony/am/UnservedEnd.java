package io.tony.am;

import io.tony.am.loop.AmLoop;
import io.tony.am.loop.Defect;
import io.tony.am.machine.JobState;
import io.tony.am.machine.Phase;
import io.tony.am.scheduler.Containers;
import io.tony.am.scheduler.Scheduler;
import io.tony.container.Staging;
import io.tony.eventlog.EventLog;
import io.tony.model.JobResult;
import io.tony.model.NoFreePort;
import java.io.IOException;
import java.time.Instant;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of a job whose ApplicationMaster finds no port, so that nobody can ask it anything. */
final class UnservedEnd {
  private static final Logger LOG = LoggerFactory.getLogger(UnservedEnd.class);

  private final Staging staging;
  private final Succession succession;
  private final String host;
  private final String application;

  UnservedEnd(Staging staging, Succession succession, String host, String application) {
    this.staging = staging;
    this.succession = succession;
    this.host = host;
    this.application = application;
  }

  /**
   * Tells the end by the event log and by YARN, from which the client has it.
   *
   * @param now the time of the end
   * @param scheduler does not know this ApplicationMaster yet
   * @throws NoFreePort when another ApplicationMaster is to try
   */
  void leave(
      NoFreePort why, Instant now, JobState state, AmLoop loop, EventLog log, Scheduler scheduler)
      throws IOException, YarnException {
    log.start((first, lines) -> {}); // it is written, though nobody is served who could be told
    if (succession.leftToTheNext(now)) {
      throw why;
    }
    LOG.error("No other ApplicationMaster is left to try", why);
    JobResult result =
        state.phase() == Phase.FINISHED
            ? state.result() // its predecessor was lost before it could tell YARN
            : Defect.end(loop, why, log, application);
    log.close();
    try (Containers containers = scheduler.register(host, 0).containers(loop)) {
      containers.start(state::heldIn);
      containers.unregister(result);
    }
    staging.delete();
  }
}
