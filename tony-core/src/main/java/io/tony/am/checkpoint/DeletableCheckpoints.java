package io.tony.am.checkpoint;

import io.tony.checkpoint.CheckpointName;
import io.tony.event.CheckpointFact.ResumeDecision;
import java.io.IOException;

/**
 * Which sets this application may delete: its own, and those of earlier ones that were there when
 * it chose first. Another application that uses the same folder at the same time keeps its newer
 * ones. For use by several threads.
 */
final class DeletableCheckpoints {
  private final String application;

  /** Of others, the newest that was there; null where there was none, or that is not known. */
  private CheckpointName newestForeign;

  /** Whether the above is what it will be. */
  private boolean newestForeignKnown;

  /** Generation of the first start whose sets are touched: what was before it was not seen. */
  private String minGeneration = "";

  DeletableCheckpoints(String application) {
    this.application = application;
  }

  /** What an earlier ApplicationMaster chose, which saw what this one cannot know any more. */
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
   * A start has chosen among these. Only the first such choice counts. The file system may not
   * answer, and is not asked under the lock: who says that nothing was seen must not wait for it.
   */
  void recordListed(CheckpointFolders folders) throws IOException {
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

  /** A start of this session could not see what there was: that must outlive it. */
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
