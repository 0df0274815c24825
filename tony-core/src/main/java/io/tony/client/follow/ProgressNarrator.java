package io.tony.client.follow;

import io.tony.fact.TaskFact;
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
  private Progress progress = new Progress();
  private TaskId task; // the only one that tells; null before it does
  private String untold = ""; // its last line that is not told
  private Instant untoldAt;

  ProgressNarrator(JobLog out, boolean verbose) {
    this.out = out;
    this.verbose = verbose;
  }

  void tell(Instant time, TaskFact.Progressed fact) {
    task = fact.task();
    untold = fact.text();
    untoldAt = time;
    if (verbose || pace.due(time)) {
      tellUntold();
    }
  }

  void tellUntold() {
    if (!untold.isEmpty()) {
      out.println(task + ": " + progress.withEta(untold, untoldAt));
      untold = "";
    }
  }

  /** The task's program has ended. */
  void ended(TaskId ended) {
    if (ended.equals(task)) {
      tellUntold();
    }
  }

  /**
   * What is left is counted from the new start: of the time before it, nothing is known to last.
   */
  void startsAgain(TaskId again) {
    if (again.equals(task)) {
      gangStartsAgain();
    }
  }

  void gangStartsAgain() {
    tellUntold();
    progress = new Progress();
  }
}
