package io.tony.am.checkpoint;

import io.tony.checkpoint.CheckpointName;
import io.tony.event.CheckpointFact.ResumeDecision;
import io.tony.event.CheckpointFact.SourceCheckpoint;
import java.util.Optional;

/**
 * Checkpoint that a start resumes from.
 *
 * @param fact decision for the log; empty if there is no checkpoint
 * @param lastNumber highest checkpoint number already used; new ones continue after it
 * @param usable false if the checkpoint folder cannot be used at all, so that executors cannot save
 *     any either
 */
record ResumePoint(Optional<ResumeDecision> fact, long lastNumber, boolean usable) {
  static final ResumePoint NONE = new ResumePoint(Optional.empty(), 0, true);
  static final ResumePoint UNUSABLE = new ResumePoint(Optional.empty(), 0, false);

  static ResumePoint of(ResumeDecision fact) {
    return new ResumePoint(Optional.of(fact), fact.from() == null ? 0 : fact.from().number(), true);
  }

  /** Returns a copy with this last number, or this object if {@code number} is 0. */
  ResumePoint withLastNumber(long number) {
    return number > 0 ? new ResumePoint(fact, number, usable) : this;
  }

  /** Returns the checkpoint; empty for a clean start. */
  Optional<SourceCheckpoint> source() {
    return fact.map(ResumeDecision::from);
  }

  /** Returns the name of the checkpoint's set; empty for a clean start. */
  Optional<CheckpointName> set() {
    return source().flatMap(source -> CheckpointName.parse(source.set()));
  }
}
