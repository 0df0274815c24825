package io.tony.history;

import io.tony.history.HistoryIndex.Page;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** Immutable snapshot of all jobs of the index, for queries. */
final class IndexSnapshot {
  private static final Comparator<IndexedJob> NEWEST_FIRST =
      Comparator.comparing((IndexedJob job) -> job.summary().begin())
          .thenComparing(IndexedJob::application)
          .reversed();

  private final List<IndexedJob> newestFirst;
  // Sorted by application ID; a map of 100,000 lists would take more megabytes.
  private final IndexedJob[] byId;

  IndexSnapshot(List<IndexedJob> all) {
    newestFirst = all.stream().sorted(NEWEST_FIRST).toList();
    byId = newestFirst.toArray(IndexedJob[]::new);
    Arrays.sort(byId, Comparator.comparing(IndexedJob::application));
  }

  int size() {
    return newestFirst.size();
  }

  /**
   * Like {@link HistoryIndex#page}, but limits the memory of the page's summaries to {@code
   * maxBytes}; only the last job may exceed this limit.
   */
  Page page(Predicate<JobSummary> filter, int offset, int limit, long maxBytes) {
    List<JobSummary> page = new ArrayList<>();
    long bytes = 0;
    int total = 0;
    for (IndexedJob job : newestFirst) {
      if (filter.test(job.summary())) {
        if (total >= offset && page.size() < limit && bytes < maxBytes) {
          page.add(job.summary());
          bytes += job.summary().bytes();
        }
        total++;
      }
    }
    return new Page(List.copyOf(page), total, offset);
  }

  /** See {@link HistoryIndex#endedBefore}. */
  List<HistoryIndex.Log> endedBefore(Instant then) {
    return newestFirst.stream()
        .filter(job -> job.summary().status() != JobSummary.Status.RUNNING)
        .filter(job -> job.modifiedMillis() < then.toEpochMilli())
        .sorted(Comparator.comparing(IndexedJob::modifiedMillis))
        .map(IndexedJob::log)
        .toList();
  }

  /** Returns the jobs with the given application ID, newest first. */
  List<IndexedJob> of(String application) {
    int low = 0;
    for (int high = byId.length; low < high; ) {
      int middle = (low + high) >>> 1;
      if (byId[middle].application().compareTo(application) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    List<IndexedJob> found = new ArrayList<>();
    for (int i = low; i < byId.length && byId[i].application().equals(application); i++) {
      found.add(byId[i]);
    }
    return found;
  }
}
