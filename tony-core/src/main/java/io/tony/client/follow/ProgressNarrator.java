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
  private String untold = "";

  ProgressNarrator(JobLog out, boolean verbose) {
    this.out = out;
    this.verbose = verbose;
  }

  void tell(Instant time, TaskFact.Progressed fact) {
    task = fact.task();
    String line = task + ": " + progress.withEta(fact.text(), time);
    if (verbose || pace.due(time)) {
      untold = "";
      out.println(line);
    } else {
      untold = line;
    }
  }

  void tellUntold() {
    if (!untold.isEmpty()) {
      out.println(untold);
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
