package io.tony.client.submit;

import io.tony.container.FastFileClose;
import io.tony.container.PollInterval;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.client.api.impl.YarnClientImpl;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * YARN client that polls with an increasing interval whether a submission is accepted: that takes
 * some milliseconds, or seconds if the ResourceManager is busy. Hadoop's own client polls every 200
 * ms. Several threads may submit at the same time.
 */
public class SubmissionClient extends YarnClientImpl {
  private static final Duration MIN_POLL_INTERVAL = Duration.ofMillis(10);
  private static final Duration FAST_POLL_PERIOD = Duration.ofMillis(100);
  private static final Duration MAX_POLL_INTERVAL = Duration.ofSeconds(1);

  /** Poll interval of a thread that submits; null while it does not. */
  private static final ThreadLocal<PollInterval> POLL_INTERVAL = new ThreadLocal<>();

  /** Sets what all clients of TonY need in their Hadoop configuration. */
  public static void prepare(Configuration conf) {
    FastFileClose.applyTo(conf);
    // Interval at which YARN's client polls the application while it kills.
    conf.setInt(YarnConfiguration.YARN_CLIENT_APPLICATION_CLIENT_PROTOCOL_POLL_INTERVAL_MS, 20);
    // Without a limit, a kill would wait for nodes that are gone for good.
    conf.setInt(YarnConfiguration.YARN_CLIENT_APPLICATION_CLIENT_PROTOCOL_POLL_TIMEOUT_MS, 60_000);
  }

  @Override
  protected void serviceInit(Configuration conf) throws Exception {
    super.serviceInit(conf);
    submitPollIntervalMillis = 0;
  }

  @Override
  public ApplicationId submitApplication(ApplicationSubmissionContext application)
      throws YarnException, IOException {
    POLL_INTERVAL.set(new PollInterval(MIN_POLL_INTERVAL, FAST_POLL_PERIOD, MAX_POLL_INTERVAL));
    try {
      return super.submitApplication(application);
    } finally {
      POLL_INTERVAL.remove();
    }
  }

  /**
   * Returns the application's report; waits for the poll interval if YARN's client calls the method
   * while it submits.
   */
  @Override
  public ApplicationReport getApplicationReport(ApplicationId application)
      throws YarnException, IOException {
    PollInterval interval = POLL_INTERVAL.get();
    if (interval != null) {
      waitFor(interval.next());
    }
    return super.getApplicationReport(application);
  }

  private void waitFor(Duration time) throws InterruptedIOException {
    try {
      pause(time);
    } catch (InterruptedException e) {
      // Do not set the interrupt flag again, like YARN's client: the thread may still have to kill
      // what was submitted.
      throw new InterruptedIOException("interrupted before YARN has accepted the application");
    }
  }

  void pause(Duration time) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(time.toNanos());
  }
}
