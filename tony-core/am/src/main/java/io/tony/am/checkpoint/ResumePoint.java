package io.tony.am.checkpoint;

import io.tony.checkpoint.CheckpointName;
import io.tony.event.CheckpointFact.ResumeDecision;
import io.tony.event.CheckpointFact.SourceCheckpoint;
import java.util.Optional;

/**
 * Where a start resumes: from a checkpoint, or from scratch.
 *
 * @param fact the decision to be recorded in the event log; may itself be a clean start; empty if
 *     there is nothing to record
 * @param lastNumber highest checkpoint number already used; new checkpoints get higher ones
 * @param usable false if the checkpoint folder cannot be used at all, so that executors cannot save
 *     checkpoints either
 */
record ResumePoint(Optional<ResumeDecision> fact, long lastNumber, boolean usable) {
  static final ResumePoint NONE = new ResumePoint(Optional.empty(), 0, true);
  static final ResumePoint UNUSABLE = new ResumePoint(Optional.empty(), 0, false);

  static ResumePoint of(ResumeDecision fact) {
    return new ResumePoint(Optional.of(fact), fact.from() == null ? 0 : fact.from().number(), true);
  }

  /** Returns a copy with {@code number} as its last number; this object if {@code number} is 0. */
  ResumePoint withLastNumber(long number) {
    return number > 0 ? new ResumePoint(fact, number, usable) : this;
  }

  /** Returns the checkpoint to resume from; empty for a clean start. */
  Optional<SourceCheckpoint> source() {
    return fact.map(ResumeDecision::from);
  }

  /** Returns the name of the set to resume from; empty for a clean start. */
  Optional<CheckpointName> set() {
    return source().flatMap(source -> CheckpointName.parse(source.set()));
  }
}
