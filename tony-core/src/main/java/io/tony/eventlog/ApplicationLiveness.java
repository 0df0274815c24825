package io.tony.eventlog;

import java.time.Duration;

/** Whether YARN knows an application to be running, so that its files must be kept. */
public enum ApplicationLiveness {
  ALIVE,
  ENDED,
  /**
   * YARN does not know the application. It may have ended long ago and been forgotten, or it may
   * run in another YARN cluster that shares the file system.
   */
  UNKNOWN;

  /** Minimum age after the end, so that clients and users can still read the files. */
  private static final Duration MIN_AGE_ENDED = Duration.ofHours(1);

  private static final Duration MIN_AGE_UNKNOWN = Duration.ofDays(7);

  /** Returns true if a file that was last modified {@code age} ago may be deleted. */
  public boolean mayDelete(Duration age) {
    return switch (this) {
      case ALIVE -> false;
      case ENDED -> age.compareTo(MIN_AGE_ENDED) > 0;
      case UNKNOWN -> age.compareTo(MIN_AGE_UNKNOWN) > 0;
    };
  }
}
