package io.tony.client.application;

import io.tony.client.application.OtherClientWatch.PollResult;
import io.tony.clock.AwakeClock;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether another client still follows an application that it submitted. */
public enum OtherClient {
  /** A client follows the application. */
  ALIVE,
  /** No client follows the application any more. */
  GONE,
  /** The application has ended during the check, and its client may have got the result. */
  ENDED,
  /** The application has ended during the check, and no client followed it any more. */
  ENDED_ALONE,
  /**
   * Unknown: the ApplicationMaster does not answer, and the client is of an earlier version, which
   * leaves no signs in the staging folder.
   */
  UNKNOWN;

  private static final Logger LOG = LoggerFactory.getLogger(OtherClient.class);
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  /** Maximum time for which failed calls to YARN or HDFS are repeated. */
  private static final Duration MAX_OUTAGE = Duration.ofMinutes(3);

  /**
   * Polls an application until it is known whether another client follows it. Takes about 20 s or,
   * if the ApplicationMaster does not answer, up to {@code staleAfter} (at least {@link
   * OtherClientWatch#MIN_SILENCE}).
   *
   * @param staleAfter time since a client's last poll after which the client counts as gone
   * @throws IOException if YARN or HDFS does not answer for {@link #MAX_OUTAGE}
   */
  public static OtherClient detect(RunningApplication application, Duration staleAfter)
      throws IOException, YarnException, InterruptedException {
    OtherClientWatch watch = new OtherClientWatch(staleAfter);
    // One connection for all polls, because the ApplicationMaster counts connections.
    MasterConnection master = null;
    long lastAnswerNanos = AwakeClock.nanoTime();
    try {
      while (true) {
        try {
          ApplicationReport report = application.report();
          if (RunningApplication.hasEnded(report)) {
            return watch.endVerdict();
          }
          master = master == null ? connect(application, report) : master;
          PollResult result = poll(application, report, master);
          lastAnswerNanos = AwakeClock.nanoTime();
          if (result instanceof PollResult.NoAnswer) {
            close(master);
            master = null;
          }
          OtherClient verdict = watch.record(result, lastAnswerNanos);
          if (verdict != null) {
            return verdict;
          }
        } catch (IOException | YarnException e) {
          LOG.info("{} cannot be checked: {}", application.id(), e.toString());
          if (AwakeClock.nanoTime() - lastAnswerNanos > MAX_OUTAGE.toNanos()) {
            throw e;
          }
        }
        Thread.sleep(POLL_INTERVAL.toMillis());
      }
    } finally {
      close(master);
    }
  }

  /**
   * Connects to the ApplicationMaster; returns null if there is none, or it cannot be reached.
   *
   * @throws IOException if the file system does not answer
   */
  private static @Nullable MasterConnection connect(
      RunningApplication application, ApplicationReport report) throws IOException {
    // Check first that the file system answers. The connect below reads the staging folder, too,
    // but there a failure of the file system would look like an unreachable ApplicationMaster.
    application.clientLastSeen();
    try {
      return application.connect(report);
    } catch (IOException e) {
      LOG.info("The ApplicationMaster of {} is out of reach: {}", application.id(), e.toString());
      return null;
    }
  }

  private static PollResult poll(
      RunningApplication application, ApplicationReport report, @Nullable MasterConnection master)
      throws IOException {
    if (master != null) {
      try {
        return master.clientActivity();
      } catch (IOException e) {
        LOG.info("The ApplicationMaster of {} does not answer: {}", application.id(), e.toString());
      }
    }
    return new PollResult.NoAnswer(application.clientLastSeen(), report.getRpcPort() > 0);
  }

  private static void close(@Nullable MasterConnection master) {
    if (master != null) {
      master.close();
    }
  }
}
