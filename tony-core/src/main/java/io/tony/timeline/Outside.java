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
 * @param seen when it was last seen to be alive, by the clock of whoever looked
 */
public record Outside(Instant submitted, Instant launched, Instant finished, Instant seen) {
  /** Of an application that nobody was asked about. */
  public static final Outside UNKNOWN = new Outside(null, null, null, null);

  public Outside {
    submitted = inMillis(submitted);
    launched = inMillis(launched);
    finished = inMillis(finished);
    seen = inMillis(seen);
  }

  private static Instant inMillis(Instant at) {
    return at == null ? null : at.truncatedTo(ChronoUnit.MILLIS);
  }
}
