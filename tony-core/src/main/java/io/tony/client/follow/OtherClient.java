package io.tony.client.follow;

import io.tony.client.follow.OtherClientWatch.Look;
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
  /** Neither its ApplicationMaster nor its staging folder answers that within the limit. */
  UNKNOWN;

  private static final Logger LOG = LoggerFactory.getLogger(OtherClient.class);
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  /**
   * Looks at an application until it is known whether another client follows it: some 20 s, or up
   * to {@code staleAfter} (at least {@link OtherClientWatch#MIN_SILENCE}) where its
   * ApplicationMaster does not answer.
   *
   * @param staleAfter a client that has not asked for so long counts as gone
   */
  public static OtherClient of(RunningApplication application, Duration staleAfter)
      throws InterruptedException {
    OtherClientWatch watch = new OtherClientWatch(staleAfter, System.nanoTime());
    // One connection for all looks: they are counted.
    MasterConnection master = null;
    try {
      while (true) {
        Look look;
        try {
          ApplicationReport report = application.report();
          if (RunningApplication.ended(report)) {
            return watch.ended();
          }
          master = master == null ? application.connect(report) : master;
          look =
              master == null
                  ? new Look.Silent(application.lastSignOfClient(), false)
                  : master.watched();
        } catch (IOException | YarnException e) {
          LOG.info(
              "Whether a client follows {} is not known yet: {}", application.id(), e.toString());
          close(master);
          master = null;
          look = new Look.Silent(application.lastSignOfClient(), true);
        }
        OtherClient known = watch.after(look, System.nanoTime());
        if (known != null) {
          return known;
        }
        Thread.sleep(LOOK_EVERY.toMillis());
      }
    } finally {
      close(master);
    }
  }

  private static void close(MasterConnection master) {
    if (master != null) {
      master.close();
    }
  }
}
