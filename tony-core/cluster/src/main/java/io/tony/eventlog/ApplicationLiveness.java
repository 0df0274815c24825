package io.tony.eventlog;

import java.time.Duration;

/**
 * Whether an application is alive, as far as YARN knows. Determines when the application's files
 * may be deleted.
 */
public enum ApplicationLiveness {
  ALIVE,
  ENDED,
  /**
   * YARN does not know the application. It may have ended long ago and been forgotten, or it may
   * run in another YARN cluster that shares the file system.
   */
  UNKNOWN;

  /**
   * Minimum age of the files of an ended application: until then, clients and users can still read
   * them.
   */
  private static final Duration MIN_AGE_ENDED = Duration.ofHours(1);

  private static final Duration MIN_AGE_UNKNOWN = Duration.ofDays(7);

  /**
   * Returns true if the application's files may be deleted; {@code age} is the time since they were
   * last modified.
   */
  public boolean mayDelete(Duration age) {
    return switch (this) {
      case ALIVE -> false;
      case ENDED -> age.compareTo(MIN_AGE_ENDED) > 0;
      case UNKNOWN -> age.compareTo(MIN_AGE_UNKNOWN) > 0;
    };
  }
}
