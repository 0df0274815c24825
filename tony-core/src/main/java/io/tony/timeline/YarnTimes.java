package io.tony.timeline;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * What YARN knows of a job and its event log does not, by the ResourceManager's clock; null where
 * it does not say.
 *
 * @param submitted when it got the application
 * @param launched when it had launched the first ApplicationMaster's container
 * @param finished when the application had ended
 * @param lastSeen when it was last seen to be alive, by the clock of whoever looked
 */
public record YarnTimes(Instant submitted, Instant launched, Instant finished, Instant lastSeen) {
  /** Of an application that nobody was asked about. */
  public static final YarnTimes UNKNOWN = new YarnTimes(null, null, null, null);

  public YarnTimes {
    submitted = inMillis(submitted);
    launched = inMillis(launched);
    finished = inMillis(finished);
    lastSeen = inMillis(lastSeen);
  }

  private static Instant inMillis(Instant at) {
    return at == null ? null : at.truncatedTo(ChronoUnit.MILLIS);
  }
}
