package io.tony.history;

import io.tony.history.HistoryIndex.Page;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** All jobs at one moment, for those who ask. It never changes. */
final class ShownJobs {
  private static final Comparator<KnownJob> NEWEST_FIRST =
      Comparator.comparing((KnownJob job) -> job.summary().begin())
          .thenComparing(KnownJob::application)
          .reversed();

  private final List<KnownJob> newest;
  private final KnownJob[] byId; // a map of 100,000 lists would take megabytes

  ShownJobs(List<KnownJob> all) {
    newest = all.stream().sorted(NEWEST_FIRST).toList();
    byId = newest.toArray(KnownJob[]::new);
    Arrays.sort(byId, Comparator.comparing(KnownJob::application));
  }

  int size() {
    return newest.size();
  }

  /** {@code maxBytes} is how much memory they may take, but for the first. */
  Page page(Predicate<JobSummary> filter, int offset, int limit, long maxBytes) {
    List<JobSummary> page = new ArrayList<>();
    long bytes = 0;
    int total = 0;
    for (KnownJob job : newest) {
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
  List<HistoryIndex.Log> overSince(Instant then) {
    return newest.stream()
        .filter(job -> job.summary().status() != JobSummary.Status.RUNNING)
        .filter(job -> job.changed() < then.toEpochMilli())
        .sorted(Comparator.comparing(KnownJob::changed))
        .map(KnownJob::log)
        .toList();
  }

  /** Those of an id, the newest first. */
  List<KnownJob> of(String application) {
    int low = 0;
    for (int high = byId.length; low < high; ) {
      int middle = (low + high) >>> 1;
      if (byId[middle].application().compareTo(application) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    List<KnownJob> found = new ArrayList<>();
    for (int i = low; i < byId.length && byId[i].application().equals(application); i++) {
      found.add(byId[i]);
    }
    return found;
  }
}
