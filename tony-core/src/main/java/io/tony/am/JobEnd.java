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

/** Tells everybody how the job ended, and leaves nothing of it. */
final class JobEnd {
  private static final Logger LOG = LoggerFactory.getLogger(JobEnd.class);

  /** Whoever looks at a page has seen nearly all. */
  private static final Duration BROWSER_TIMEOUT = Duration.ofSeconds(1);

  private final Staging staging;
  private final Containers containers;
  private final AmServer server;
  private final TrackingPage page;
  private final Duration clientTimeout;

  /** {@code patience} is for clients that have not yet taken their answer. */
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
   * Leaves in an order in which nobody is told too early: the log is complete and YARN knows before
   * a watching client does. A job that was stopped is left for the client to kill in YARN, so that
   * YARN shows it as killed; without a client, this process says so itself. Until YARN knows, the
   * staging folder stays: should this process be lost, the next one starts from it and says the
   * same.
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

  /** Tidying up is no reason to lose a result. */
  private void deleteStaging() {
    try {
      staging.delete();
    } catch (IOException e) {
      LOG.warn("The staging folder {} stays behind", staging.folder(), e);
    }
  }

  /** Until clients and browsers have taken their answer, which is a matter of milliseconds. */
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
