package io.tony.eventlog;

import java.time.Duration;

/** What YARN says of an application, for whoever deletes what it has left behind. */
public enum ApplicationLiveness {
  ALIVE,
  ENDED,
  /**
   * YARN forgets applications that ended, but one that it does not know may also be at work in
   * another YARN that shares the file system.
   */
  UNKNOWN;

  /** For whoever ended the application, or follows it, to do with it what they want. */
  private static final Duration MIN_AGE_ENDED = Duration.ofHours(1);

  private static final Duration MIN_AGE_UNKNOWN = Duration.ofDays(7);

  /** Whether something that was touched so long ago need not be left alone any more. */
  public boolean mayDelete(Duration age) {
    return switch (this) {
      case ALIVE -> false;
      case ENDED -> age.compareTo(MIN_AGE_ENDED) > 0;
      case UNKNOWN -> age.compareTo(MIN_AGE_UNKNOWN) > 0;
    };
  }
}
