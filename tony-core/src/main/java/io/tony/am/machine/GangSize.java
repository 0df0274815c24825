package io.tony.am.machine;

import io.tony.fact.SizeFact;
import io.tony.model.JobLimits;
import java.time.Duration;
import java.time.Instant;

/**
 * How an elastic gang's size has changed, and is to change.
 *
 * @param changes how often it shrank, or was to grow
 * @param growth null where its programs are not asked for a checkpoint, to grow from
 */
record GangSize(int changes, Growth growth) {
  static final GangSize FIRST = new GangSize(0, null);

  /**
   * There was room at that instant.
   *
   * @param instances how many tasks the role is to have
   */
  record Growth(String role, int instances, Instant at) {
    /** Whether an answer is still worth something. A clock that was set back changes nothing. */
    boolean counts(JobLimits limits, Instant now) {
      return Duration.between(at, now).compareTo(limits.asking().counts()) < 0;
    }
  }

  GangSize growing(SizeFact.Grows fact, Instant at) {
    return new GangSize(changes + 1, new Growth(fact.role(), fact.instances(), at));
  }

  GangSize resized(SizeFact.Resized fact) {
    return new GangSize(changes + (fact.instances() < fact.from() ? 1 : 0), growth);
  }

  /** The gang starts again: what its programs were asked for is not wanted any more. */
  GangSize startedAgain() {
    return new GangSize(changes, null);
  }
}
