package io.tony.am.checkpoint;

import io.tony.checkpoint.CheckpointName;
import io.tony.event.CheckpointFact.ResumeDecision;
import io.tony.event.CheckpointFact.SourceCheckpoint;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Determines which checkpoint sets this application may delete: its own, and those of other
 * applications that existed when it first selected a checkpoint. Does not allow the deletion of
 * newer sets of another application that uses the same folder at the same time. Thread-safe.
 */
final class DeletableCheckpoints {
  private final String application;

  /**
   * Newest set of other applications that may be deleted, with all older ones; null if there is
   * none or it is not known yet.
   */
  private @Nullable CheckpointName newestForeign;

  /** True once {@link #newestForeign} does not change any more. */
  private boolean newestForeignKnown;

  /**
   * Sets of older generations than this one must not be deleted. It is the generation of the latest
   * session whose start could not list the sets, or whose start, according to the event log, did
   * not resume from a checkpoint. Empty if there is no such session; then this field excludes no
   * set.
   */
  private String minGeneration = "";

  DeletableCheckpoints(String application) {
    this.application = application;
  }

  /**
   * Restores the state after a restart of the ApplicationMaster. Takes it from the decision that an
   * earlier ApplicationMaster made for this session, because the folder may contain other sets now
   * than that ApplicationMaster listed.
   *
   * @param chosen the decision from the event log; null if there is none
   */
  synchronized void restoreChoice(int session, @Nullable ResumeDecision chosen) {
    newestForeignKnown = true;
    if (chosen == null) {
      return;
    }
    SourceCheckpoint from = chosen.from();
    if (from == null) {
      recordListingFailure(session);
    } else {
      newestForeign = CheckpointName.parse(from.set()).filter(set -> !isOwn(set)).orElse(null);
    }
  }

  /**
   * Determines from a start's listing which sets of other applications may be deleted; only the
   * first call has an effect. Lists the sets without holding the lock, because an unresponsive file
   * system must not block {@link #recordListingFailure}.
   */
  void recordListed(CheckpointListing folders) throws IOException {
    if (!isNewestForeignKnown()) {
      String first = CheckpointName.generation(application, 0);
      limitTo(
          folders.sets().stream()
              .filter(set -> set.generation().compareTo(first) < 0)
              .findFirst()
              .orElse(null));
    }
  }

  private synchronized boolean isNewestForeignKnown() {
    return newestForeignKnown;
  }

  private synchronized void limitTo(@Nullable CheckpointName newest) {
    if (!newestForeignKnown) {
      newestForeign = newest;
      newestForeignKnown = true;
    }
  }

  /**
   * Records that a start of this session could not list the sets. Sets of earlier sessions must
   * then not be deleted, because that start has not considered them.
   */
  synchronized void recordListingFailure(int session) {
    newestForeignKnown = true;
    String generation = CheckpointName.generation(application, session);
    minGeneration = generation.compareTo(minGeneration) > 0 ? generation : minGeneration;
  }

  synchronized boolean contains(CheckpointName set) {
    return set.generation().compareTo(minGeneration) >= 0
        && (isOwn(set) || (newestForeign != null && set.compareTo(newestForeign) <= 0));
  }

  private boolean isOwn(CheckpointName set) {
    return CheckpointName.isOf(application, set);
  }
}
