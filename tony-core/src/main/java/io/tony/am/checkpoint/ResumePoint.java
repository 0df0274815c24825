package io.tony.am.checkpoint;

import io.tony.checkpoint.CheckpointName;
import io.tony.event.CheckpointFact.ResumeDecision;
import io.tony.event.CheckpointFact.SourceCheckpoint;
import java.util.Optional;

/**
 * What a start goes on from.
 *
 * @param fact for the log; nothing where there is nothing to go on from
 * @param lastNumber the number that a count goes on from
 * @param usable false where executors could not keep any either
 */
record ResumePoint(Optional<ResumeDecision> fact, long lastNumber, boolean usable) {
  static final ResumePoint NONE = new ResumePoint(Optional.empty(), 0, true);
  static final ResumePoint UNUSABLE = new ResumePoint(Optional.empty(), 0, false);

  static ResumePoint of(ResumeDecision fact) {
    return new ResumePoint(Optional.of(fact), fact.from() == null ? 0 : fact.from().number(), true);
  }

  /** The same, where these numbers are used already; as it is without any. */
  ResumePoint withLastNumber(long number) {
    return number > 0 ? new ResumePoint(fact, number, usable) : this;
  }

  /** Nothing where it starts clean. */
  Optional<SourceCheckpoint> source() {
    return fact.map(ResumeDecision::from);
  }

  /** The same by its name. */
  Optional<CheckpointName> set() {
    return source().flatMap(source -> CheckpointName.parse(source.set()));
  }
}
