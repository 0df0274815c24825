package io.tony.am;

import io.tony.am.page.TrackingPage;
import io.tony.am.rpc.AmServer;
import io.tony.am.scheduler.Containers;
import io.tony.clock.AwakeClock;
import io.tony.container.Staging;
import io.tony.eventlog.EventLog;
import io.tony.model.JobResult;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes how the job ended and deletes its staging folder. */
final class JobEnd {
  private static final Logger LOG = LoggerFactory.getLogger(JobEnd.class);

  /** Maximum time to wait for browsers with an open request for events. */
  private static final Duration BROWSER_TIMEOUT = Duration.ofSeconds(1);

  private final Staging staging;
  private final Containers containers;
  private final AmServer server;
  private final TrackingPage page;
  private final Duration clientTimeout;

  /**
   * {@code clientTimeout} is the maximum time to wait for clients that have not fetched the result
   * yet.
   */
  JobEnd(
      Staging staging,
      Containers containers,
      AmServer server,
      TrackingPage page,
      Duration clientTimeout) {
    this.staging = staging;
    this.containers = containers;
    this.server = server;
    this.page = page;
    this.clientTimeout = clientTimeout;
  }

  /**
   * Ends the job in an order in which no client learns the result too early: the log is complete
   * and YARN knows the result before a connected client does. A killed job stays registered for the
   * client to kill in YARN, so that YARN shows the job as killed; without a client, this process
   * unregisters the job itself. The staging folder stays until YARN knows the result: if this
   * process is lost before, the next ApplicationMaster starts from the folder and reports the same
   * result.
   *
   * @param log is closed first
   */
  void finish(JobResult result, EventLog log)
      throws IOException, YarnException, InterruptedException {
    log.close();
    if (result.status() == JobResult.Status.KILLED) {
      server.finish();
      if (!server.awaitRelease(clientTimeout)) {
        containers.unregister(result);
      }
      deleteStaging();
    } else {
      containers.unregister(result);
      deleteStaging();
      server.finish();
      awaitDisconnection();
    }
  }

  /**
   * Deletes the staging folder; a failure is only logged, because it must not change the job's
   * result.
   */
  private void deleteStaging() {
    try {
      staging.delete();
    } catch (IOException e) {
      LOG.warn("The staging folder {} stays behind", staging.folder(), e);
    }
  }

  /** Waits until clients and browsers have fetched the result, which usually takes milliseconds. */
  private void awaitDisconnection() throws InterruptedException {
    long startNanos = AwakeClock.nanoTime();
    while ((server.connected() && isWithin(clientTimeout, startNanos))
        || (page.hasWaitingViewers() && isWithin(BROWSER_TIMEOUT, startNanos))) {
      Thread.sleep(10);
    }
  }

  private static boolean isWithin(Duration limit, long startNanos) {
    return AwakeClock.nanoTime() - startNanos < limit.toNanos();
  }
}
