package io.tony.client.narrate;

import io.tony.client.output.JobLog;
import io.tony.event.HangLocation;
import io.tony.event.HangSummary;
import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.Map;

/** Tells where the tasks of a gang stand that hangs: one line for all, once all have told it. */
final class HangNarrator {
  private final JobLog out;
  private final Map<TaskId, String> places = new LinkedHashMap<>();
  private int expectedCount;

  HangNarrator(JobLog out) {
    this.out = out;
  }

  /** {@code running} is how many tasks run now, which are asked for it if the first is. */
  void onHang(HangLocation fact, int runningCount) {
    if (places.isEmpty()) {
      expectedCount = runningCount;
    }
    places.put(fact.task(), fact.location());
    if (places.size() >= expectedCount) {
      printAll();
    }
  }

  /** No more tell it. */
  void printAll() {
    String summary = HangSummary.of(places);
    if (!summary.isEmpty()) {
      out.println(summary);
    }
    places.clear();
  }
}
