package io.tony.am.checkpoint;

import io.tony.checkpoint.SetName;
import io.tony.fact.CheckpointFact.Resumes;
import io.tony.fact.CheckpointFact.Source;
import java.util.Optional;

/**
 * What a start goes on from.
 *
 * @param told for the log; nothing where there is nothing to go on from
 * @param counted the number that a count goes on from
 * @param usable false where executors could not keep any either
 */
record Choice(Optional<Resumes> told, long counted, boolean usable) {
  static final Choice NOTHING = new Choice(Optional.empty(), 0, true);
  static final Choice UNUSABLE = new Choice(Optional.empty(), 0, false);

  static Choice of(Resumes told) {
    return new Choice(Optional.of(told), told.from() == null ? 0 : told.from().number(), true);
  }

  /** The same, where these numbers are used already; as it is without any. */
  Choice countingFrom(long number) {
    return number > 0 ? new Choice(told, number, usable) : this;
  }

  /** Nothing where it starts clean. */
  Optional<Source> from() {
    return told.map(Resumes::from);
  }

  /** The same by its name. */
  Optional<SetName> set() {
    return from().flatMap(source -> SetName.parse(source.set()));
  }
}
