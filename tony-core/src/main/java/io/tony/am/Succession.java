package io.tony.am;

import io.tony.am.loop.Defect;
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

/** Whether YARN starts another ApplicationMaster when this one is lost. */
final class Succession {
  private static final Logger LOG = LoggerFactory.getLogger(Succession.class);

  private final EventLog log;
  private final InstantSource clock;
  private final int most;

  Succession(EventLog log, TonyConfig config, Configuration conf, InstantSource clock) {
    this.log = log;
    this.clock = clock;
    most =
        Math.min(
            config.get(AmOptions.MAX_ATTEMPTS),
            conf.getInt(
                YarnConfiguration.RM_AM_MAX_ATTEMPTS,
                YarnConfiguration.DEFAULT_RM_AM_MAX_ATTEMPTS));
  }

  /** Completes the log when the job is left to the next one. */
  boolean leftToTheNext(Instant startedAt) {
    boolean left;
    List<JobEvent> starts = new ArrayList<>();
    try {
      log.earlier(
          event -> {
            if (event.type() == JobEvent.Type.AM_STARTED) {
              starts.add(event);
            }
          });
      left =
          Defect.isLeftToTheNext(
              starts,
              log.attempt(),
              startedAt,
              clock.instant(),
              JobLimits.MASTER_LOSSES_COUNT_FOR,
              most);
    } catch (IOException e) {
      LOG.warn("The event log cannot be read; YARN knows whether there is another try", e);
      left = true;
    }
    if (left) {
      log.leave();
    }
    return left;
  }
}
