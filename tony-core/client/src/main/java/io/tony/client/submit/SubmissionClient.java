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
 * YARN client that returns sooner from a submission: it polls for YARN's acceptance at increasing
 * intervals from 10 ms on, where Hadoop's own client polls every 200 ms. YARN accepts a submission
 * within some milliseconds, or seconds if the ResourceManager is busy. Thread-safe.
 */
public class SubmissionClient extends YarnClientImpl {
  private static final Duration MIN_POLL_INTERVAL = Duration.ofMillis(10);
  private static final Duration FAST_POLL_PERIOD = Duration.ofMillis(100);
  private static final Duration MAX_POLL_INTERVAL = Duration.ofSeconds(1);

  /** Poll interval of the current thread while it submits; not set otherwise. */
  private static final ThreadLocal<PollInterval> POLL_INTERVAL = new ThreadLocal<>();

  /** Sets the values in a Hadoop configuration that all clients of TonY need. */
  public static void prepare(Configuration conf) {
    FastFileClose.applyTo(conf);
    // Interval at which YARN's client polls an application that it kills.
    conf.setInt(YarnConfiguration.YARN_CLIENT_APPLICATION_CLIENT_PROTOCOL_POLL_INTERVAL_MS, 20);
    // Limit the wait for a kill; without a limit, the client would wait for nodes that never
    // come back.
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
   * Returns the application's report. If the current thread is submitting an application, first
   * waits for the poll interval, because YARN's client polls for the acceptance through this
   * method.
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
      // Like YARN's client, do not set the interrupt flag again: the thread may still have to
      // kill the submitted application.
      throw new InterruptedIOException("interrupted before YARN has accepted the application");
    }
  }

  void pause(Duration time) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(time.toNanos());
  }
}
