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

/** Reports the job's result to YARN and to clients, and deletes the job's staging folder. */
final class JobEnd {
  private static final Logger LOG = LoggerFactory.getLogger(JobEnd.class);

  /** Maximum time to wait until browsers have received the answers to their requests for events. */
  private static final Duration BROWSER_TIMEOUT = Duration.ofSeconds(1);

  private final Staging staging;
  private final Containers containers;
  private final AmServer server;
  private final TrackingPage page;
  private final Duration clientTimeout;

  /**
   * Creates the object; {@code clientTimeout} is the maximum time to wait for clients to fetch the
   * result.
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
   * Ends the job: closes the event log, reports the result to YARN, deletes the staging folder and
   * then notifies clients, so that no client learns the result before YARN does.
   *
   * <p>If the job was killed, the client that killed it is notified first, and has YARN kill the
   * application, so that YARN shows the job as killed. If no client does so within the timeout,
   * this process reports the result to YARN.
   *
   * <p>The staging folder stays until YARN knows the result: if this process is lost before, the
   * next ApplicationMaster is started from the folder and reports the same result.
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
   * Deletes the staging folder. Only logs a failure, because it must not change the job's result.
   */
  private void deleteStaging() {
    try {
      staging.delete();
    } catch (IOException e) {
      LOG.warn("The staging folder {} stays behind", staging.folder(), e);
    }
  }

  /**
   * Waits until no client or executor is connected and no browser waits for events, up to the
   * timeouts of clients and browsers. This usually takes milliseconds.
   */
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
