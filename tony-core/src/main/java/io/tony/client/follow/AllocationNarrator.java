package io.tony.client.follow;

import io.tony.fact.GangFact;
import io.tony.fact.SizeFact;
import io.tony.fact.TaskFact;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Tells of the containers that a job asks for, gets and waits for. */
final class AllocationNarrator {
  private final JobLog out;
  private final boolean verbose;
  private final int toldTasks;

  /** What came of a gang that is asked for again and again; told when it is complete. */
  private final List<String> untold = new ArrayList<>();

  private Pace waitPace = Pace.forPeople();
  private Pace backOffPace = Pace.forPeople();
  private int tasks;
  private int allocated;
  private int pending;
  private boolean askedAgain;
  private boolean waitExplained;
  private int toldWaitAt = -1;

  /** Of a job with more than {@code toldTasks}, not every container is told. */
  AllocationNarrator(JobLog out, boolean verbose, int toldTasks) {
    this.out = out;
    this.verbose = verbose;
    this.toldTasks = toldTasks;
  }

  /** The job has so many tasks. */
  void of(int allTasks) {
    tasks = allTasks;
  }

  /** Nobody waits any more for the containers of tasks that are gone. */
  void resized(SizeFact.Resized fact) {
    tasks += fact.more();
    if (fact.shrinks() != fact.joins()) {
      pending = Math.max(0, pending + fact.more());
    }
  }

  void requested(GangFact.Requested fact) {
    pending += fact.tasks();
    if (!askedAgain || verbose) {
      out.println("asking for " + fact.resources());
    }
  }

  void allocated(TaskFact.Allocated fact) {
    allocated++;
    pending = Math.max(0, pending - 1);
    String count = allocated + "/" + tasks + " tasks allocated";
    if (tasks <= toldTasks || verbose) {
      untold.add(count + ": " + fact.task() + " on " + fact.node() + ", log " + fact.log());
    } else if (allocated == tasks) {
      untold.add(count);
    }
    if (!askedAgain || verbose || allocated >= tasks) {
      tellUntold();
    }
  }

  private void tellUntold() {
    untold.forEach(out::println);
    untold.clear();
  }

  /** The gang runs. */
  void complete() {
    tellUntold();
    askedAnew(allocated);
  }

  /** One task has lost its container, and the others go on. */
  void askedForOneMore() {
    allocated = Math.max(0, allocated - 1);
    pending++;
  }

  /** The gang starts again. Returns whether any container is kept. */
  boolean askedAgainBut(int kept) {
    pending += Math.max(0, allocated - kept);
    askedAnew(kept);
    return kept > 0;
  }

  void waiting(Instant time, GangFact.Shortage shortage) {
    waitExplained = true;
    if (verbose || waitPace.due(time)) {
      out.println(
          "waits for "
              + pending
              + " of "
              + tasks
              + " containers: "
              + shortage.missing()
              + lack(shortage));
    }
  }

  void backedOff(Instant time, GangFact.BackedOff fact) {
    if (verbose || backOffPace.due(time)) {
      out.println(
          "gives its containers back and asks again in "
              + fact.pause()
              + ", others may be waiting for them; missing were "
              + fact.shortage().missing()
              + lack(fact.shortage()));
    }
    allocated = 0;
    pending = 0;
    untold.clear();
    askedAgain = true;
    waitExplained = true;
  }

  private static String lack(GangFact.Shortage shortage) {
    String free = shortage.free();
    String lacking = shortage.lacking();
    return (free.isEmpty() ? "" : "; the queue has " + free + " left")
        + (free.isEmpty() && lacking.isEmpty() ? "" : ": " + reason(lacking));
  }

  private static String reason(String lacking) {
    return lacking.isEmpty()
        ? "enough in sum for one, but perhaps not on any single node"
        : lacking + (lacking.contains(",") ? " are" : " is") + " short";
  }

  /** Whatever is asked for from here on is told as at first. */
  private void askedAnew(int kept) {
    allocated = kept;
    untold.clear();
    askedAgain = false;
    waitExplained = false;
    waitPace = Pace.forPeople();
    backOffPace = Pace.forPeople();
  }

  /** Whether containers are asked for that are not there. */
  boolean waits() {
    return pending > 0;
  }

  /** Nothing has happened for a while; what is waited for is told once, until it changes. */
  void tellWait() {
    if (pending > 0 && !waitExplained && toldWaitAt != allocated) {
      toldWaitAt = allocated;
      out.println(
          allocated
              + "/"
              + tasks
              + " tasks allocated: YARN has no room for the others yet, the queue may be full");
      out.flush();
    }
  }
}
