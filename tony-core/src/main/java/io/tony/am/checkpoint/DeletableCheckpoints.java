package io.tony.am.checkpoint;

import io.tony.checkpoint.CheckpointName;
import io.tony.event.CheckpointFact.ResumeDecision;
import java.io.IOException;

/**
 * Sets that this application may delete: its own, and those of earlier applications that existed
 * when it first selected a checkpoint. Newer sets of another application that uses the same folder
 * at the same time are not deleted. Thread-safe.
 */
final class DeletableCheckpoints {
  private final String application;

  /**
   * Newest set of other applications that may be deleted; null if there was none or it is unknown.
   */
  private CheckpointName newestForeign;

  /** True once {@link #newestForeign} is final. */
  private boolean newestForeignKnown;

  /**
   * Sets of generations before this one must not be deleted: a start of this generation could not
   * list them. Empty if there was no such start.
   */
  private String minGeneration = "";

  DeletableCheckpoints(String application) {
    this.application = application;
  }

  /**
   * Restores the decision of an earlier ApplicationMaster, whose listing cannot be repeated now.
   *
   * @param chosen the logged decision; null if none was logged
   */
  synchronized void restoreChoice(int session, ResumeDecision chosen) {
    newestForeignKnown = true;
    if (chosen != null && chosen.from() == null) {
      recordListingFailure(session);
    } else if (chosen != null) {
      newestForeign =
          CheckpointName.parse(chosen.from().set()).filter(set -> !isOwn(set)).orElse(null);
    }
  }

  /**
   * Notes the sets that a start listed; only the first call counts. Lists the sets outside the
   * lock, because an unresponsive file system must not block {@link #recordListingFailure}.
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

  private synchronized void limitTo(CheckpointName newest) {
    if (!newestForeignKnown) {
      newestForeign = newest;
      newestForeignKnown = true;
    }
  }

  /**
   * Notes that a start of this session could not list the sets: older sets must not be deleted,
   * because the start did not consider them.
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
