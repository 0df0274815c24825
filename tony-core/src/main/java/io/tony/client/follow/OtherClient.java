package io.tony.client.follow;

import io.tony.client.follow.OtherClientWatch.Look;
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
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  /** How long YARN or HDFS may not answer: nothing is concluded from that. */
  private static final Duration MAX_BLINDNESS = Duration.ofMinutes(3);

  /**
   * Looks at an application until it is known whether another client follows it: some 20 s, or up
   * to {@code staleAfter} (at least {@link OtherClientWatch#MIN_SILENCE}) where its
   * ApplicationMaster does not answer.
   *
   * @param staleAfter a client that has not asked for so long counts as gone
   * @throws IOException where YARN or HDFS do not answer for {@link #MAX_BLINDNESS}
   */
  public static OtherClient of(RunningApplication application, Duration staleAfter)
      throws IOException, YarnException, InterruptedException {
    OtherClientWatch watch = new OtherClientWatch(staleAfter);
    MasterConnection master = null; // one for all looks: they are counted
    long seen = AwakeClock.nanoTime();
    try {
      while (true) {
        Look look = null;
        try {
          ApplicationReport report = application.report();
          if (RunningApplication.ended(report)) {
            return watch.ended();
          }
          master = master == null ? connected(application, report) : master;
          look = look(application, report, master);
          seen = AwakeClock.nanoTime();
        } catch (IOException | YarnException e) {
          LOG.info("{} cannot be looked at: {}", application.id(), e.toString());
          if (AwakeClock.nanoTime() - seen > MAX_BLINDNESS.toNanos()) {
            throw e;
          }
        }
        if (look instanceof Look.Silent) {
          close(master);
          master = null;
        }
        OtherClient known = look == null ? null : watch.after(look, AwakeClock.nanoTime());
        if (known != null) {
          return known;
        }
        Thread.sleep(LOOK_EVERY.toMillis());
      }
    } finally {
      close(master);
    }
  }

  /** Null where there is no ApplicationMaster, or it cannot be reached. */
  private static MasterConnection connected(
      RunningApplication application, ApplicationReport report) throws IOException {
    application.lastSignOfClient(); // what fails here is the file system
    try {
      return application.connect(report);
    } catch (IOException e) {
      LOG.info("The ApplicationMaster of {} is out of reach: {}", application.id(), e.toString());
      return null;
    }
  }

  private static Look look(
      RunningApplication application, ApplicationReport report, MasterConnection master)
      throws IOException {
    if (master != null) {
      try {
        return master.watched();
      } catch (IOException e) {
        LOG.info("The ApplicationMaster of {} does not answer: {}", application.id(), e.toString());
      }
    }
    return new Look.Silent(application.lastSignOfClient(), report.getRpcPort() > 0);
  }

  private static void close(MasterConnection master) {
    if (master != null) {
      master.close();
    }
  }
}
