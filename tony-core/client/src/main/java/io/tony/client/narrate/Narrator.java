package io.tony.client.narrate;

import io.tony.client.output.JobLog;
import io.tony.client.output.ProgramOutputCap;
import io.tony.event.AccessFact;
import io.tony.event.CheckpointFact;
import io.tony.event.GangFact;
import io.tony.event.HangLocation;
import io.tony.event.JobFact;
import io.tony.event.PendingFailure;
import io.tony.event.PreemptionAnnounced;
import io.tony.event.ResizeFact;
import io.tony.event.RootCause;
import io.tony.event.TaskFact;
import io.tony.event.UsageFact;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import io.tony.timeline.GoodputLine;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Prints a line for each event of a job that is relevant to users and, if enabled, writes all
 * events to the machine-readable output. A URL is always last on its line, so that Azkaban's log
 * page links the whole URL.
 */
public final class Narrator {
  /**
   * Maximum number of tasks of a job for which individual events are printed, and maximum number of
   * lines about failures. The event log contains all events.
   */
  private static final int MAX_NARRATED_TASKS = 20;

  private final JobLog out;
  private final boolean machineLines;
  private final boolean verbose;
  private final ProgressNarrator progress;
  private final StderrTail stderrTail = new StderrTail();
  private final ProgramOutputCap outputCap = new ProgramOutputCap();
  private final Set<TaskId> started = new HashSet<>();
  private final Set<TaskId> succeeded = new HashSet<>();
  // Tasks that failed and were not restarted afterwards.
  private final Set<TaskId> failed = new HashSet<>();

  private final AllocationNarrator allocations;
  private final HangNarrator hangs;
  private final CheckpointNarrator checkpoints;
  private TaskFact.@Nullable Failed lastFailure; // null before the first failure
  private String application = "APPLICATION"; // placeholder until the application's id is known
  private int taskCount;
  private int problemCount;
  private int stragglerCount;

  public Narrator(JobLog out, boolean machineLines, boolean verbose) {
    this.out = out;
    this.machineLines = machineLines;
    this.verbose = verbose;
    this.allocations = new AllocationNarrator(out, verbose, MAX_NARRATED_TASKS);
    this.progress = new ProgressNarrator(out, verbose);
    this.hangs = new HangNarrator(out);
    this.checkpoints = new CheckpointNarrator(out, verbose, ZoneId.systemDefault());
  }

  public void narrate(JobEvent event) {
    narrateToPerson(event);
    notifyPrograms(event);
    out.flush();
  }

  private void narrateToPerson(JobEvent event) {
    switch (event.type()) {
      case JOB_SUBMITTED -> onSubmitted(JobFact.Submitted.of(event));
      case AM_STARTED -> onMasterStarted(JobFact.MasterStarted.of(event));
      case GANG_REQUESTED -> allocations.onRequested(GangFact.Requested.of(event));
      case GANG_WAITING ->
          allocations.onWaiting(event.time(), GangFact.Waiting.of(event).shortage());
      case GANG_BACKED_OFF -> allocations.onBackedOff(event.time(), GangFact.BackedOff.of(event));
      case TASK_ALLOCATED -> allocations.onAllocated(TaskFact.Allocated.of(event));
      case TASK_REGISTERED ->
          printVerbose(event, "registered with " + TaskFact.Registered.of(event).endpoint());
      case TASK_STARTED -> onStarted(TaskFact.Started.of(event));
      case GANG_RUNNING -> {
        hangs.printAll();
        allocations.onGangRunning();
      }
      case TASK_PROGRESS -> progress.narrate(event.time(), TaskFact.Progressed.of(event));
      case TASK_CHECKPOINT -> checkpoints.onSaved(event);
      case CHECKPOINT_NOT_KEPT ->
          checkpoints.onNotSaved(CheckpointFact.CheckpointNotSaved.of(event));
      case GANG_RESUMES -> checkpoints.onResumed(event);
      case TENSORBOARD -> out.println("TensorBoard: " + TaskFact.TensorBoard.of(event).url());
      case TASK_SUCCEEDED -> onSucceeded(TaskFact.Succeeded.of(event));
      case TASK_STOPPED -> {
        progress.onTaskEnded(TaskFact.Stopped.of(event).task());
        printVerbose(event, "stopped");
      }
      case TASK_STANDS -> hangs.onHang(HangLocation.of(event), started.size() - succeeded.size());
      case PREEMPTION_ANNOUNCED -> onPreemptionAnnounced(PreemptionAnnounced.of(event));
      case FAILURE_PENDING -> onFailurePending(PendingFailure.of(event));
      case TASK_FAILED -> onFailed(TaskFact.Failed.of(event));
      case FIRST_CAUSE -> onRootCause(RootCause.of(event));
      case TASK_RESTARTED -> onTaskRestarted(TaskFact.Restarted.of(event));
      case GANG_RESTARTED -> onGangRestarted(GangFact.Restarted.of(event));
      case GANG_GROWS -> onGangGrows(ResizeFact.ScaleUpPlanned.of(event));
      case GANG_RESIZED -> onResized(ResizeFact.Resized.of(event));
      case NODE_AVOIDED -> onNodeAvoided(JobFact.NodeAvoided.of(event));
      case NODES_FORGIVEN -> onNodesForgiven();
      case ROLE_EXCUSED -> onRoleExcused(JobFact.RoleExcused.of(event));
      case STOP_REQUESTED ->
          out.println("stop requested by " + JobFact.StopRequested.of(event).requester());
      case LOG_BEHIND -> out.println(JobFact.LogBehind.of(event).message());
      case LOG_CAUGHT_UP -> out.println("the event log is written again, nothing of it is missing");
      case STRAGGLER -> onStraggler(UsageFact.Straggler.of(event));
      case TASK_HELD -> onTaskHeld(AccessFact.ContainerHeld.of(event));
      case SHELL -> out.println(ShellAuditLine.line(AccessFact.ShellSession.of(event)));
      case GOODPUT -> out.println(GoodputLine.of(UsageFact.Goodput.of(event)));
      case ADVICE -> out.println("advice: " + JobFact.Advice.of(event).text());
      case JOB_FINISHED -> {
        progress.printPending();
        hangs.printAll();
      }
      // METRICS is only for the machine-readable output, and JOB_DESCRIBED for the history. The
      // end of a stopping job is printed with its result. This version does not know UNKNOWN
      // events.
      case METRICS, JOB_DESCRIBED, JOB_STOPPING, UNKNOWN -> {}
    }
  }

  private void onPreemptionAnnounced(PreemptionAnnounced announced) {
    narrateProblem(
        "YARN is going to take the container of "
            + announced.task()
            + " on "
            + announced.node()
            + " for another queue or application");
  }

  private void onNodeAvoided(JobFact.NodeAvoided avoided) {
    narrateProblem("node " + avoided.node() + " is avoided: " + avoided.message());
  }

  private void onNodesForgiven() {
    if (verbose) {
      out.println("no node is avoided any more");
    }
  }

  private void onRoleExcused(JobFact.RoleExcused excused) {
    out.println("the job goes on without " + excused.role() + ": " + excused.message());
  }

  /**
   * Writes an event to the machine-readable output, if that is enabled, without a line for users;
   * for events that users learn of in another way.
   */
  public void notifyPrograms(JobEvent event) {
    if (machineLines) {
      out.recordEvent(outputCap.cap(event));
    }
  }

  /**
   * Prints that the ApplicationMaster was lost and YARN starts another one.
   *
   * @param host host of the lost ApplicationMaster; null if unknown
   */
  public void narrateMasterLoss(@Nullable String host) {
    out.println(
        "the ApplicationMaster"
            + (host == null ? "" : " on host " + host)
            + " is lost; YARN starts another"
            + (started.isEmpty() ? "" : ", the tasks train on"));
    out.flush();
  }

  private void onSubmitted(JobFact.Submitted fact) {
    application = fact.application();
    out.println(
        fact.application() + " submitted to queue " + fact.queue() + ": " + fact.trackingUrl());
  }

  private void onMasterStarted(JobFact.MasterStarted fact) {
    taskCount = fact.taskCount();
    allocations.setTaskCount(taskCount);
    if (fact.recoveredTaskCount() == null || fact.recoveredTaskCount() == 0) {
      out.println("ApplicationMaster is up on " + fact.host() + ", attempt " + fact.attempt());
    } else {
      out.println(
          "ApplicationMaster attempt "
              + fact.attempt()
              + " on "
              + fact.host()
              + " took over "
              + fact.recoveredTaskCount()
              + (fact.recoveredTaskCount() == 1 ? " running task" : " running tasks"));
    }
  }

  private void onStarted(TaskFact.Started fact) {
    if (verbose) {
      out.println(fact.task() + " started, process " + fact.pid());
    }
    if (started.add(fact.task()) && started.size() == taskCount) {
      out.println(taskCount + "/" + taskCount + " tasks running");
    }
  }

  private void onSucceeded(TaskFact.Succeeded fact) {
    progress.printPending();
    succeeded.add(fact.task());
    if (taskCount <= MAX_NARRATED_TASKS || verbose) {
      out.println(fact.task() + " succeeded");
    }
    if (!fact.omittedOutputs().isEmpty()) {
      narrateProblem(fact.task() + ": " + fact.omittedOutputs());
    }
  }

  // ---- Failures and restarts ----

  private void onFailed(TaskFact.Failed fact) {
    progress.onTaskEnded(fact.task());
    failed.add(fact.task());
    stderrTail.record(fact);
    lastFailure = fact;
    narrateProblem(fact.message() + ", log " + fact.logUrl());
  }

  private void onFailurePending(PendingFailure fact) {
    String line =
        fact.failure().message()
            + ", as if because of another task; TonY waits up to "
            + fact.limitMs() / 1000
            + " s for YARN's report of a loss before that counts";
    if (narrateProblem(line)) {
      printStderrTail(fact.task(), StderrTail.lastLine(fact.failure()));
    }
  }

  private void onTaskHeld(AccessFact.ContainerHeld fact) {
    if (narrateProblem(ShellAuditLine.line(fact, application))) {
      printStderrTail(fact.task(), StderrTail.lastLine(fact.stderr()));
    }
  }

  private void onRootCause(RootCause fact) {
    if (!narrateProblem(RootCauseLine.of(fact))) {
      return;
    }
    if (!fact.failure().equals(lastFailure)) {
      printStderrTail(fact.task(), StderrTail.lastLine(fact.failure()));
    }
    lastFailure = fact.failure();
  }

  private void onTaskRestarted(TaskFact.Restarted fact) {
    hangs.printAll();
    started.remove(fact.task());
    failed.remove(fact.task());
    progress.onTaskRestarted(fact.task());
    if (!fact.sameContainer()) {
      allocations.onContainerLost();
    }
    String why = stderrTail.take(fact.task());
    if (narrateProblem(RestartLine.of(fact))) {
      printStderrTail(fact.task(), why);
    }
  }

  private void onGangRestarted(GangFact.Restarted fact) {
    progress.onGangRestarted();
    succeeded.removeIf(task -> !fact.finishedRoles().contains(task.role()));
    failed.removeIf(task -> !fact.finishedRoles().contains(task.role()));
    started.removeIf(task -> !succeeded.contains(task) && !failed.contains(task));
    boolean anyKept =
        allocations.onGangRestarted(succeeded.size() + failed.size() + fact.keptContainerCount());
    out.println(RestartLine.of(fact, anyKept, taskCount));
    if (fact.kind() != FailureKind.RESIZED) {
      printStderrTail(fact.task(), stderrTail.take(fact.task()));
    }
    stderrTail.clear();
  }

  private void onGangGrows(ResizeFact.ScaleUpPlanned fact) {
    long runningCount = started.stream().filter(task -> task.role().equals(fact.role())).count();
    out.println(ResizeLine.of(fact, runningCount));
  }

  private void onResized(ResizeFact.Resized fact) {
    taskCount += fact.taskCountChange();
    started.removeIf(fact::isGone);
    succeeded.removeIf(fact::isGone);
    failed.removeIf(fact::isGone);
    allocations.onResized(fact);
    out.println(ResizeLine.of(fact));
  }

  private void printStderrTail(TaskId task, String line) {
    if (!line.isEmpty()) {
      out.println("  the last line of the stderr of " + task + ": " + line);
    }
  }

  /**
   * Prints that a task is slower than the others, or no longer is. These lines have a limit of
   * their own, so that they do not use up the limit of lines about failures.
   */
  private void onStraggler(UsageFact.Straggler straggler) {
    stragglerCount += straggler.recovered() ? 0 : 1;
    if (stragglerCount <= MAX_NARRATED_TASKS || verbose) {
      out.println(straggler.message());
    }
  }

  /**
   * Prints a line about a failure or another problem, unless the limit of such lines is reached;
   * returns whether the line was printed.
   */
  private boolean narrateProblem(String line) {
    problemCount++;
    boolean printed = problemCount <= MAX_NARRATED_TASKS || verbose;
    if (printed) {
      out.println(line);
    } else if (problemCount == MAX_NARRATED_TASKS + 1) {
      out.println("more of the kind happens to other tasks; -v or the event log has them");
    }
    return printed;
  }

  /** Returns whether requested containers are missing. */
  public boolean isWaiting() {
    return allocations.isWaiting();
  }

  /**
   * Prints how many containers are allocated if some are missing, unless that number was printed
   * before or a reason for the wait was given. Must be called when there was no event for a while.
   */
  public void narrateWait() {
    allocations.narrateWait();
  }

  private void printVerbose(JobEvent event, String what) {
    if (verbose) {
      out.println(event.task() + " " + what);
    }
  }
}
