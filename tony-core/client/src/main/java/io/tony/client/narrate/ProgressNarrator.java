package io.tony.client.narrate;

import io.tony.client.output.JobLog;
import io.tony.client.output.Pace;
import io.tony.event.TaskFact;
import io.tony.model.TaskId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Prints the progress that a user program reports: less often the longer the job runs, but always
 * the last progress before the program ends.
 */
final class ProgressNarrator {
  private final JobLog out;
  private final boolean verbose;
  private final Pace pace = Pace.forPeople();
  private ProgressEstimate estimate = new ProgressEstimate();
  private @Nullable TaskId task; // task that reported the last progress; null before the first
  private String pendingText = ""; // last progress that is not yet printed; empty if there is none
  private Instant pendingTime = Instant.EPOCH; // when the program printed the pending text

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

  /** Handles the end of a task's program: prints the last progress that is not yet printed. */
  void onTaskEnded(TaskId ended) {
    if (ended.equals(task)) {
      printPending();
    }
  }

  /**
   * Restarts the estimate if the restarted task is the one whose progress is printed, because the
   * time before a restart says nothing about the remaining time.
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
