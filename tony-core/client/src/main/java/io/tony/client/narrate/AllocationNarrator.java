package io.tony.client.narrate;

import io.tony.client.output.JobLog;
import io.tony.client.output.Pace;
import io.tony.event.GangFact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Prints lines about the containers of a job: which are requested, allocated and missing. */
final class AllocationNarrator {
  private final JobLog out;
  private final boolean verbose;
  private final int maxNarratedTasks;

  /**
   * Lines about allocated containers that are not printed yet. After the gang has given its
   * containers back and requested them again, they are printed only when all are allocated.
   */
  private final List<String> pendingLines = new ArrayList<>();

  private Pace waitPace = Pace.forPeople();
  private Pace backOffPace = Pace.forPeople();
  private int taskCount;
  private int allocatedCount;
  private int pendingCount;
  private boolean retrying;
  private boolean waitExplained;
  private int countAtLastNotice = -1;

  /**
   * Creates a narrator.
   *
   * @param verbose whether to print every line
   * @param maxNarratedTasks maximum number of tasks of a job for which each container is printed
   */
  AllocationNarrator(JobLog out, boolean verbose, int maxNarratedTasks) {
    this.out = out;
    this.verbose = verbose;
    this.maxNarratedTasks = maxNarratedTasks;
  }

  /** Sets the number of tasks of the job. */
  void setTaskCount(int allTaskCount) {
    taskCount = allTaskCount;
  }

  /**
   * Adjusts the counts to a resize of the gang: containers of added tasks are expected, those of
   * removed tasks no longer.
   */
  void onResized(ResizeFact.Resized fact) {
    taskCount += fact.taskCountChange();
    if (fact.shrinks() != fact.live()) {
      pendingCount = Math.max(0, pendingCount + fact.taskCountChange());
    }
  }

  void onRequested(GangFact.Requested fact) {
    pendingCount += fact.taskCount();
    if (!retrying || verbose) {
      out.println("asking for " + fact.resources());
    }
  }

  void onAllocated(TaskFact.Allocated fact) {
    allocatedCount++;
    pendingCount = Math.max(0, pendingCount - 1);
    String count = allocatedCount + "/" + taskCount + " tasks allocated";
    if (taskCount <= maxNarratedTasks || verbose) {
      pendingLines.add(
          count + ": " + fact.task() + " on " + fact.node() + ", log " + fact.logUrl());
    } else if (allocatedCount == taskCount) {
      pendingLines.add(count);
    }
    if (!retrying || verbose || allocatedCount >= taskCount) {
      printPending();
    }
  }

  private void printPending() {
    pendingLines.forEach(out::println);
    pendingLines.clear();
  }

  /**
   * Handles the start of the gang's programs, before which all containers are allocated: prints the
   * pending lines, and the next request for containers will be printed like the first.
   */
  void onGangRunning() {
    printPending();
    reset(allocatedCount);
  }

  /** Handles the loss of one task's container while the other tasks continue. */
  void onContainerLost() {
    allocatedCount = Math.max(0, allocatedCount - 1);
    pendingCount++;
  }

  /**
   * Handles a restart of the gang: the containers that it does not keep are expected again.
   *
   * @param keptCount number of containers that the gang keeps
   * @return whether the gang keeps any container
   */
  boolean onGangRestarted(int keptCount) {
    pendingCount += Math.max(0, allocatedCount - keptCount);
    reset(keptCount);
    return keptCount > 0;
  }

  void onWaiting(Instant time, GangFact.Shortage shortage) {
    waitExplained = true;
    if (verbose || waitPace.recordIfDue(time)) {
      out.println(
          "waits for "
              + pendingCount
              + " of "
              + taskCount
              + " containers: "
              + shortage.missing()
              + lackText(shortage));
    }
  }

  void onBackedOff(Instant time, GangFact.BackedOff fact) {
    if (verbose || backOffPace.recordIfDue(time)) {
      out.println(
          "gives its containers back and asks again in "
              + fact.pause()
              + ", others may be waiting for them; missing were "
              + fact.shortage().missing()
              + lackText(fact.shortage()));
    }
    allocatedCount = 0;
    pendingCount = 0;
    pendingLines.clear();
    retrying = true;
    waitExplained = true;
  }

  private static String lackText(GangFact.Shortage shortage) {
    String free = shortage.available();
    String lacking = shortage.lacking();
    return (free.isEmpty() ? "" : "; the queue has " + free + " left")
        + (free.isEmpty() && lacking.isEmpty() ? "" : ": " + lackReason(lacking));
  }

  private static String lackReason(String lacking) {
    return lacking.isEmpty()
        ? "enough in sum for one, but perhaps not on any single node"
        : lacking + (lacking.contains(",") ? " are" : " is") + " short";
  }

  /**
   * Forgets the wait for containers so far; the next request for containers is printed like the
   * first.
   *
   * @param keptCount number of containers that the gang has already
   */
  private void reset(int keptCount) {
    allocatedCount = keptCount;
    pendingLines.clear();
    retrying = false;
    waitExplained = false;
    waitPace = Pace.forPeople();
    backOffPace = Pace.forPeople();
  }

  /** Returns whether requested containers are missing. */
  boolean isWaiting() {
    return pendingCount > 0;
  }

  /**
   * Prints how many containers are allocated if some are missing, unless that number was printed
   * before or a reason for the wait was given. Must be called when there was no event for a while.
   */
  void narrateWait() {
    if (pendingCount > 0 && !waitExplained && countAtLastNotice != allocatedCount) {
      countAtLastNotice = allocatedCount;
      out.println(
          allocatedCount
              + "/"
              + taskCount
              + " tasks allocated: YARN has no room for the others yet, the queue may be full");
      out.flush();
    }
  }
}
