package io.tony.client.narrate;

import io.tony.client.output.JobLog;
import io.tony.event.HangLocation;
import io.tony.event.HangSummary;
import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Collects the tasks' reports of where they hang, and prints them as one summary line: when all
 * running tasks have reported, or earlier if no more reports are expected.
 */
final class HangNarrator {
  private final JobLog out;
  private final Map<TaskId, String> places = new LinkedHashMap<>();
  private int expectedCount;

  HangNarrator(JobLog out) {
    this.out = out;
  }

  /**
   * Adds the report of a task; prints the summary if this is the last expected report.
   *
   * @param runningCount number of running tasks, each of which is expected to report
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

  /**
   * Prints the summary of the reports so far and forgets them. Must be called when no more reports
   * are expected.
   */
  void printAll() {
    String summary = HangSummary.of(places);
    if (!summary.isEmpty()) {
      out.println(summary);
    }
    places.clear();
  }
}
