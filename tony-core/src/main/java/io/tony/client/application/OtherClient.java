package io.tony.client.application;

import io.tony.client.application.OtherClientWatch.PollResult;
import io.tony.clock.AwakeClock;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** State of the client of an application that another client submitted. */
public enum OtherClient {
  /** The client follows the application. */
  ALIVE,
  /** No client follows the application. */
  GONE,
  /** The application ended meanwhile, and its client may have seen the end. */
  ENDED,
  /** The application ended meanwhile, and no client followed it any more. */
  ENDED_ALONE,
  /** The ApplicationMaster does not answer, and the client leaves no signs. */
  UNKNOWN;

  private static final Logger LOG = LoggerFactory.getLogger(OtherClient.class);
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  /** Maximum time without an answer of YARN or HDFS; until then, nothing is concluded. */
  private static final Duration MAX_OUTAGE = Duration.ofMinutes(3);

  /**
   * Polls an application until it is known whether another client follows it. Takes about 20 s; up
   * to {@code staleAfter} (at least {@link OtherClientWatch#MIN_SILENCE}) if the ApplicationMaster
   * does not answer.
   *
   * @param staleAfter time without a poll after which a client counts as gone
   * @throws IOException if YARN or HDFS does not answer for {@link #MAX_OUTAGE}
   */
  public static OtherClient detect(RunningApplication application, Duration staleAfter)
      throws IOException, YarnException, InterruptedException {
    OtherClientWatch watch = new OtherClientWatch(staleAfter);
    MasterConnection master = null; // a single connection, because connections are counted
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
          LOG.info("{} cannot be looked at: {}", application.id(), e.toString());
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

  /** Returns null if there is no ApplicationMaster, or it cannot be reached. */
  private static MasterConnection connect(RunningApplication application, ApplicationReport report)
      throws IOException {
    application.clientLastSeen(); // throws only if the file system fails
    try {
      return application.connect(report);
    } catch (IOException e) {
      LOG.info("The ApplicationMaster of {} is out of reach: {}", application.id(), e.toString());
      return null;
    }
  }

  private static PollResult poll(
      RunningApplication application, ApplicationReport report, MasterConnection master)
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

  private static void close(MasterConnection master) {
    if (master != null) {
      master.close();
    }
  }
}
