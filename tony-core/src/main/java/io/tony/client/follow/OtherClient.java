package io.tony.client.follow;

import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is known of the client of an application that another one has submitted. */
public enum OtherClient {
  ALIVE,
  GONE,
  /** There is no ApplicationMaster that says so: YARN starts it, or it is an earlier version. */
  UNKNOWN;

  private static final Logger LOG = LoggerFactory.getLogger(OtherClient.class);
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  /**
   * Whether another client follows it. Waits for one to ask its ApplicationMaster again, which
   * takes seconds, or until none has asked for {@code goneAfter}.
   */
  public static OtherClient of(RunningApplication application, Duration goneAfter)
      throws InterruptedException {
    Duration before = null;
    while (true) {
      Duration unwatched;
      try (MasterConnection master = application.connect(application.report())) {
        if (master == null) {
          return UNKNOWN;
        }
        unwatched = master.unwatched();
      } catch (IOException | YarnException e) {
        LOG.info("Whether a client follows {} cannot be told: {}", application.id(), e.toString());
        return UNKNOWN;
      }
      if (unwatched.compareTo(goneAfter) > 0) {
        return GONE;
      }
      if (before != null && unwatched.compareTo(before) < 0) {
        return ALIVE;
      }
      before = unwatched;
      Thread.sleep(LOOK_EVERY.toMillis());
    }
  }
}
