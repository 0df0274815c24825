package io.tony.client.narrate;

import io.tony.client.output.JobLog;
import io.tony.event.HangLocation;
import io.tony.event.HangSummary;
import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Narrates where the tasks of a hanging gang hang: one summary line, when all tasks have reported.
 */
final class HangNarrator {
  private final JobLog out;
  private final Map<TaskId, String> places = new LinkedHashMap<>();
  private int expectedCount;

  HangNarrator(JobLog out) {
    this.out = out;
  }

  /**
   * Adds the report of a task.
   *
   * @param runningCount number of running tasks, all of which are asked to report
   */
  void onHang(HangLocation fact, int runningCount) {
    if (places.isEmpty()) {
      expectedCount = runningCount;
    }
    places.put(fact.task(), fact.location());
    if (places.size() >= expectedCount) {
      printAll();
    }
  }

  /** Prints the reports so far; to be called when no more are expected. */
  void printAll() {
    String summary = HangSummary.of(places);
    if (!summary.isEmpty()) {
      out.println(summary);
    }
    places.clear();
  }
}
