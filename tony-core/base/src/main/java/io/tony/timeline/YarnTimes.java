package io.tony.timeline;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Times of a job that YARN reports and the event log does not contain; null if unknown. All but
 * {@code lastSeen} are by the ResourceManager's clock.
 *
 * @param submitted when the ResourceManager received the application
 * @param launched when the container of the first ApplicationMaster had been launched
 * @param finished when the application had ended
 * @param lastSeen when the application was last seen running, by the clock of the client that asked
 *     YARN
 */
public record YarnTimes(
    @Nullable Instant submitted,
    @Nullable Instant launched,
    @Nullable Instant finished,
    @Nullable Instant lastSeen) {
  /** No times, for an application about which YARN was not asked. */
  public static final YarnTimes UNKNOWN = new YarnTimes(null, null, null, null);

  public YarnTimes {
    submitted = inMillis(submitted);
    launched = inMillis(launched);
    finished = inMillis(finished);
    lastSeen = inMillis(lastSeen);
  }

  private static @Nullable Instant inMillis(@Nullable Instant at) {
    return at == null ? null : at.truncatedTo(ChronoUnit.MILLIS);
  }
}
