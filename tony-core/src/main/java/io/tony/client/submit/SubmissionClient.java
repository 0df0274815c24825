package io.tony.client.submit;

import io.tony.container.LookInterval;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.client.api.impl.YarnClientImpl;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * YARN's client. It looks whether a submission is accepted soon at first and then less and less
 * often: that takes some milliseconds, or seconds where the ResourceManager has much to do.
 * Hadoop's own looks every 200 ms, however long it takes. One thread submits at a time.
 */
public class SubmissionClient extends YarnClientImpl {
  private static final Duration FIRST = Duration.ofMillis(10);
  private static final Duration SOON = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofSeconds(1);

  private volatile Thread submitting; // null while none is
  private LookInterval looks; // of that thread

  @Override
  protected void serviceInit(Configuration conf) throws Exception {
    super.serviceInit(conf);
    submitPollIntervalMillis = 0;
  }

  @Override
  public ApplicationId submitApplication(ApplicationSubmissionContext application)
      throws YarnException, IOException {
    looks = new LookInterval(FIRST, SOON, LONGEST);
    submitting = Thread.currentThread();
    try {
      return super.submitApplication(application);
    } finally {
      submitting = null;
    }
  }

  /** YARN's client itself calls it while it submits. */
  @Override
  public ApplicationReport getApplicationReport(ApplicationId application)
      throws YarnException, IOException {
    if (Thread.currentThread() == submitting) {
      waitFor(looks.next());
    }
    return super.getApplicationReport(application);
  }

  private void waitFor(Duration time) throws InterruptedIOException {
    try {
      pause(time);
    } catch (InterruptedException e) {
      // As YARN's client leaves it: the thread may yet have to kill what was submitted.
      throw new InterruptedIOException("interrupted before YARN has accepted the application");
    }
  }

  void pause(Duration time) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(time.toNanos());
  }
}
