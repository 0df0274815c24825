package io.tony.client.narrate;

import io.tony.client.output.JobLog;
import io.tony.client.output.Pace;
import io.tony.event.TaskFact;
import io.tony.model.TaskId;
import java.time.Instant;

/**
 * Tells a person how far a program is: the more rarely the longer the job runs, but always the last
 * that it said before it ended.
 */
final class ProgressNarrator {
  private final JobLog out;
  private final boolean verbose;
  private final Pace pace = Pace.forPeople();
  private ProgressEstimate estimate = new ProgressEstimate();
  private TaskId task; // the only one that tells; null before it does
  private String pendingText = ""; // its last line that is not told
  private Instant pendingTime;

  ProgressNarrator(JobLog out, boolean verbose) {
    this.out = out;
    this.verbose = verbose;
  }

  void narrate(Instant time, TaskFact.Progressed fact) {
    task = fact.task();
    pendingText = fact.text();
    pendingTime = time;
    if (verbose || pace.recordIfDue(time)) {
      printPending();
    }
  }

  void printPending() {
    if (!pendingText.isEmpty()) {
      out.println(task + ": " + estimate.withEta(pendingText, pendingTime));
      pendingText = "";
    }
  }

  /** The task's program has ended. */
  void onTaskEnded(TaskId ended) {
    if (ended.equals(task)) {
      printPending();
    }
  }

  /**
   * What is left is counted from the new start: of the time before it, nothing is known to last.
   */
  void onTaskRestarted(TaskId restarted) {
    if (restarted.equals(task)) {
      onGangRestarted();
    }
  }

  void onGangRestarted() {
    printPending();
    estimate = new ProgressEstimate();
  }
}
