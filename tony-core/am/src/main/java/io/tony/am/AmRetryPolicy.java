package io.tony.am;

import io.tony.am.loop.DefectHandler;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.eventlog.EventLog;
import io.tony.model.JobEvent;
import io.tony.model.JobLimits;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Determines whether YARN will start another ApplicationMaster attempt when this one must give up.
 * If so, leaves the event log to the next attempt.
 */
final class AmRetryPolicy {
  private static final Logger LOG = LoggerFactory.getLogger(AmRetryPolicy.class);

  private final EventLog log;
  private final InstantSource clock;
  private final int maxAttempts;

  AmRetryPolicy(EventLog log, TonyConfig config, Configuration conf, InstantSource clock) {
    this.log = log;
    this.clock = clock;
    maxAttempts =
        Math.min(
            config.get(AmOptions.MAX_ATTEMPTS),
            conf.getInt(
                YarnConfiguration.RM_AM_MAX_ATTEMPTS,
                YarnConfiguration.DEFAULT_RM_AM_MAX_ATTEMPTS));
  }

  /**
   * If another ApplicationMaster attempt will continue the job, closes the event log, so that the
   * next attempt can take it over, and returns true; else does nothing and returns false. If the
   * event log cannot be read, this attempt cannot tell whether YARN will start another one, so it
   * assumes that YARN will.
   *
   * @param startedAt when this ApplicationMaster attempt became ready
   */
  boolean tryHandOver(Instant startedAt) {
    boolean handedOver;
    List<JobEvent> starts = new ArrayList<>();
    try {
      log.readEarlier(
          event -> {
            if (event.type() == JobEvent.Type.AM_STARTED) {
              starts.add(event);
            }
          });
      handedOver =
          DefectHandler.hasSuccessor(
              starts,
              log.attempt(),
              startedAt,
              clock.instant(),
              JobLimits.AM_FAILURES_VALIDITY_INTERVAL,
              maxAttempts);
    } catch (IOException e) {
      LOG.warn("The event log cannot be read; YARN knows whether there is another try", e);
      handedOver = true;
    }
    if (handedOver) {
      log.closeForTakeover();
    }
    return handedOver;
  }
}
