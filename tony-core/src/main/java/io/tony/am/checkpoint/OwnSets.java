package io.tony.am.checkpoint;

import io.tony.checkpoint.SetName;
import io.tony.fact.CheckpointFact.Resumes;
import java.io.IOException;

/**
 * Which sets this application may delete: its own, and those of earlier ones that were there when
 * it chose first. Another application that uses the same folder at the same time keeps its newer
 * ones. For use by several threads.
 */
final class OwnSets {
  private final String application;

  /** Of others, the newest that was there; null where there was none, or that is not known. */
  private SetName newestOfOthers;

  /** Whether the above is what it will be. */
  private boolean known;

  /** Generation of the first start whose sets are touched: what was before it was not seen. */
  private String since = "";

  OwnSets(String application) {
    this.application = application;
  }

  /** What an earlier ApplicationMaster chose, which saw what this one cannot know any more. */
  synchronized void chosenBefore(int session, Resumes chosen) {
    known = true;
    if (chosen != null && chosen.from() == null) {
      notSeen(session);
    } else if (chosen != null) {
      newestOfOthers = SetName.parse(chosen.from().set()).filter(set -> !isOwn(set)).orElse(null);
    }
  }

  /**
   * A start has chosen among these. Only the first such choice counts. The file system may not
   * answer, and is not asked under the lock: who says that nothing was seen must not wait for it.
   */
  void seen(SetFolders folders) throws IOException {
    if (!isKnown()) {
      String first = SetName.generation(application, 0);
      upTo(
          folders.sets().stream()
              .filter(set -> set.generation().compareTo(first) < 0)
              .findFirst()
              .orElse(null));
    }
  }

  private synchronized boolean isKnown() {
    return known;
  }

  private synchronized void upTo(SetName newest) {
    if (!known) {
      newestOfOthers = newest;
      known = true;
    }
  }

  /** A start of this session could not see what there was: that must outlive it. */
  synchronized void notSeen(int session) {
    known = true;
    String generation = SetName.generation(application, session);
    since = generation.compareTo(since) > 0 ? generation : since;
  }

  synchronized boolean contain(SetName set) {
    return set.generation().compareTo(since) >= 0
        && (isOwn(set) || (newestOfOthers != null && set.compareTo(newestOfOthers) <= 0));
  }

  private boolean isOwn(SetName set) {
    return SetName.isOf(application, set);
  }
}
