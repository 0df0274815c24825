package io.tony.history;

import io.tony.history.HistoryIndex.Page;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** All jobs at one moment, for those who ask. It never changes. */
final class IndexSnapshot {
  private static final Comparator<IndexedJob> NEWEST_FIRST =
      Comparator.comparing((IndexedJob job) -> job.summary().begin())
          .thenComparing(IndexedJob::application)
          .reversed();

  private final List<IndexedJob> newestFirst;
  private final IndexedJob[] byId; // a map of 100,000 lists would take megabytes

  IndexSnapshot(List<IndexedJob> all) {
    newestFirst = all.stream().sorted(NEWEST_FIRST).toList();
    byId = newestFirst.toArray(IndexedJob[]::new);
    Arrays.sort(byId, Comparator.comparing(IndexedJob::application));
  }

  int size() {
    return newestFirst.size();
  }

  /** {@code maxBytes} is how much memory they may take, but for the first. */
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

  /** Those that are over, and whose folder nobody has touched since then; the oldest first. */
  List<HistoryIndex.Log> endedBefore(Instant then) {
    return newestFirst.stream()
        .filter(job -> job.summary().status() != JobSummary.Status.RUNNING)
        .filter(job -> job.modifiedMillis() < then.toEpochMilli())
        .sorted(Comparator.comparing(IndexedJob::modifiedMillis))
        .map(IndexedJob::log)
        .toList();
  }

  /** Those of an id, the newest first. */
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
