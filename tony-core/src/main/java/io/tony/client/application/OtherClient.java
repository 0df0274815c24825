package io.tony.client.application;

import io.tony.client.application.OtherClientWatch.PollResult;
import io.tony.clock.AwakeClock;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is known of the client of an application that another client has submitted. */
public enum OtherClient {
  /** It follows the application. */
  ALIVE,
  /** Nobody follows the application. */
  GONE,
  /** The application ended meanwhile, and its client may have been there to see that. */
  ENDED,
  /** The application ended meanwhile, and nobody followed it any more. */
  ENDED_ALONE,
  /** Its ApplicationMaster does not answer, and its client leaves no signs. */
  UNKNOWN;

  private static final Logger LOG = LoggerFactory.getLogger(OtherClient.class);
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  /** How long YARN or HDFS may not answer: nothing is concluded from that. */
  private static final Duration MAX_OUTAGE = Duration.ofMinutes(3);

  /**
   * Looks at an application until it is known whether another client follows it: some 20 s, or up
   * to {@code staleAfter} (at least {@link OtherClientWatch#MIN_SILENCE}) where its
   * ApplicationMaster does not answer.
   *
   * @param staleAfter a client that has not asked for so long counts as gone
   * @throws IOException where YARN or HDFS do not answer for {@link #MAX_OUTAGE}
   */
  public static OtherClient of(RunningApplication application, Duration staleAfter)
      throws IOException, YarnException, InterruptedException {
    OtherClientWatch watch = new OtherClientWatch(staleAfter);
    MasterConnection master = null; // one for all looks: they are counted
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

  /** Null where there is no ApplicationMaster, or it cannot be reached. */
  private static MasterConnection connect(RunningApplication application, ApplicationReport report)
      throws IOException {
    application.lastClientSign(); // what fails here is the file system
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
    return new PollResult.NoAnswer(application.lastClientSign(), report.getRpcPort() > 0);
  }

  private static void close(MasterConnection master) {
    if (master != null) {
      master.close();
    }
  }
}
