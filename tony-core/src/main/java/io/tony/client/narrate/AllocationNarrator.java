package io.tony.client.narrate;

import io.tony.client.output.JobLog;
import io.tony.client.output.Pace;
import io.tony.event.GangFact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Tells of the containers that a job asks for, gets and waits for. */
final class AllocationNarrator {
  private final JobLog out;
  private final boolean verbose;
  private final int maxNarratedTasks;

  /** What came of a gang that is asked for again and again; told when it is complete. */
  private final List<String> pendingLines = new ArrayList<>();

  private Pace waitPace = Pace.forPeople();
  private Pace backOffPace = Pace.forPeople();
  private int taskCount;
  private int allocatedCount;
  private int pendingCount;
  private boolean retrying;
  private boolean waitExplained;
  private int countAtLastNotice = -1;

  /** Of a job with more than {@code toldTasks}, not every container is told. */
  AllocationNarrator(JobLog out, boolean verbose, int maxNarratedTasks) {
    this.out = out;
    this.verbose = verbose;
    this.maxNarratedTasks = maxNarratedTasks;
  }

  /** The job has so many tasks. */
  void setTaskCount(int allTaskCount) {
    taskCount = allTaskCount;
  }

  /** Nobody waits any more for the containers of tasks that are gone. */
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

  /** The gang runs. */
  void onGangRunning() {
    printPending();
    reset(allocatedCount);
  }

  /** One task has lost its container, and the others go on. */
  void onContainerLost() {
    allocatedCount = Math.max(0, allocatedCount - 1);
    pendingCount++;
  }

  /** The gang starts again. Returns whether any container is kept. */
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

  /** Whatever is asked for from here on is told as at first. */
  private void reset(int keptCount) {
    allocatedCount = keptCount;
    pendingLines.clear();
    retrying = false;
    waitExplained = false;
    waitPace = Pace.forPeople();
    backOffPace = Pace.forPeople();
  }

  /** Whether containers are asked for that are not there. */
  boolean isWaiting() {
    return pendingCount > 0;
  }

  /** Nothing has happened for a while; what is waited for is told once, until it changes. */
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
