package io.tony.client.follow;

import io.tony.fact.CheckpointFact;
import io.tony.fact.FirstCause;
import io.tony.fact.GangFact;
import io.tony.fact.JobFact;
import io.tony.fact.LookFact;
import io.tony.fact.PendingFailure;
import io.tony.fact.PreemptionAnnounced;
import io.tony.fact.SizeFact;
import io.tony.fact.Stands;
import io.tony.fact.TaskFact;
import io.tony.fact.UsageFact;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import io.tony.timeline.GoodputLine;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.Set;

/**
 * Tells the events of a job to a person, a line for each that a person wants, and to a program,
 * where asked, in {@link EventLines}. A URL stands at the end of its line, so that Azkaban's page
 * links it whole.
 */
public final class Narrator {
  /** Beyond so many, what happens to single tasks is left out; the event log has all of it. */
  private static final int TOLD_TASKS = 20;

  private final JobLog out;
  private final boolean machine;
  private final boolean verbose;
  private final ProgressNarrator progress;
  private final LastWords lastWords = new LastWords();
  private final ProgramsWords programsWords = new ProgramsWords();
  private final Set<TaskId> started = new HashSet<>();
  private final Set<TaskId> succeeded = new HashSet<>();
  private final Set<TaskId> failed = new HashSet<>(); // and not started again

  private final AllocationNarrator allocations;
  private final StandsNarrator stands;
  private final CheckpointNarrator checkpoints;
  private TaskFact.Failed told; // the last failure
  private String application = "APPLICATION"; // until it is known
  private int tasks;
  private int mishaps;
  private int stragglers;

  public Narrator(JobLog out, boolean machine, boolean verbose) {
    this.out = out;
    this.machine = machine;
    this.verbose = verbose;
    this.allocations = new AllocationNarrator(out, verbose, TOLD_TASKS);
    this.progress = new ProgressNarrator(out, verbose);
    this.stands = new StandsNarrator(out);
    this.checkpoints = new CheckpointNarrator(out, verbose, ZoneId.systemDefault());
  }

  public void tell(JobEvent event) {
    tellPeople(event);
    tellPrograms(event);
    out.flush();
  }

  private void tellPeople(JobEvent event) {
    switch (event.type()) {
      case JOB_SUBMITTED -> submitted(JobFact.Submitted.of(event));
      case AM_STARTED -> masterStarted(JobFact.MasterStarted.of(event));
      case GANG_REQUESTED -> allocations.requested(GangFact.Requested.of(event));
      case GANG_WAITING -> allocations.waiting(event.time(), GangFact.Waiting.of(event).shortage());
      case GANG_BACKED_OFF -> allocations.backedOff(event.time(), GangFact.BackedOff.of(event));
      case TASK_ALLOCATED -> allocations.allocated(TaskFact.Allocated.of(event));
      case TASK_REGISTERED ->
          verbose(event, "registered with " + TaskFact.Registered.of(event).endpoint());
      case TASK_STARTED -> started(TaskFact.Started.of(event));
      case GANG_RUNNING -> {
        stands.tellAll();
        allocations.complete();
      }
      case TASK_PROGRESS -> progress.tell(event.time(), TaskFact.Progressed.of(event));
      case TASK_CHECKPOINT -> checkpoints.kept(event);
      case CHECKPOINT_NOT_KEPT -> checkpoints.notKept(CheckpointFact.NotKept.of(event));
      case GANG_RESUMES -> checkpoints.resumes(event);
      case TENSORBOARD -> out.println("TensorBoard: " + TaskFact.TensorBoard.of(event).url());
      case TASK_SUCCEEDED -> succeeded(TaskFact.Succeeded.of(event));
      case TASK_STOPPED -> {
        progress.ended(event.task());
        verbose(event, "stopped");
      }
      case TASK_STANDS -> stands.tell(Stands.of(event), started.size() - succeeded.size());
      case PREEMPTION_ANNOUNCED ->
          mishap(
              "YARN is going to take the container of "
                  + event.task()
                  + " on "
                  + PreemptionAnnounced.of(event).node()
                  + " for another queue or application");
      case FAILURE_PENDING -> pending(PendingFailure.of(event));
      case TASK_FAILED -> failed(TaskFact.Failed.of(event));
      case FIRST_CAUSE -> firstCause(FirstCause.of(event));
      case TASK_RESTARTED -> taskRestarted(TaskFact.Restarted.of(event));
      case GANG_RESTARTED -> gangRestarted(GangFact.Restarted.of(event));
      case GANG_GROWS -> grows(SizeFact.Grows.of(event));
      case GANG_RESIZED -> resized(SizeFact.Resized.of(event));
      case NODE_AVOIDED -> {
        JobFact.NodeAvoided avoided = JobFact.NodeAvoided.of(event);
        mishap("node " + avoided.node() + " is avoided: " + avoided.message());
      }
      case NODES_FORGIVEN -> {
        if (verbose) {
          out.println("no node is avoided any more");
        }
      }
      case ROLE_EXCUSED -> {
        JobFact.RoleExcused excused = JobFact.RoleExcused.of(event);
        out.println("the job goes on without " + excused.role() + ": " + excused.message());
      }
      case STOP_REQUESTED ->
          out.println("stop requested by " + JobFact.StopRequested.of(event).who());
      case LOG_BEHIND -> out.println(JobFact.LogBehind.of(event).message());
      case LOG_CAUGHT_UP -> out.println("the event log is written again, nothing of it is missing");
      case STRAGGLER -> straggler(UsageFact.Straggler.of(event));
      case TASK_HELD -> held(LookFact.Held.of(event));
      case SHELL -> out.println(LookingIn.line(LookFact.Shell.of(event)));
      case GOODPUT -> out.println(GoodputLine.of(UsageFact.Goodput.of(event)));
      case ADVICE -> out.println("advice: " + JobFact.Advice.of(event).text());
      case JOB_FINISHED -> {
        progress.tellUntold();
        stands.tellAll();
      }
      // For programs that draw them; for the history; told when YARN has the result; for a later
      // client.
      case METRICS, JOB_DESCRIBED, JOB_STOPPING, UNKNOWN -> {}
    }
  }

  /** For a fact that a person is told in other words. */
  public void tellPrograms(JobEvent event) {
    if (machine) {
      out.event(programsWords.within(event));
    }
  }

  /** YARN has another ApplicationMaster started; {@code host} of the lost one, null if unknown. */
  void tellLoss(String host) {
    out.println(
        "the ApplicationMaster"
            + (host == null ? "" : " on host " + host)
            + " is lost; YARN starts another"
            + (started.isEmpty() ? "" : ", the tasks train on"));
    out.flush();
  }

  private void submitted(JobFact.Submitted fact) {
    application = fact.application();
    out.println(
        fact.application() + " submitted to queue " + fact.queue() + ": " + fact.trackingUrl());
  }

  private void masterStarted(JobFact.MasterStarted fact) {
    tasks = fact.tasks();
    allocations.of(tasks);
    if (fact.running() == null || fact.running() == 0) {
      out.println("ApplicationMaster is up on " + fact.host() + ", attempt " + fact.attempt());
    } else {
      out.println(
          "ApplicationMaster attempt "
              + fact.attempt()
              + " on "
              + fact.host()
              + " took over "
              + fact.running()
              + (fact.running() == 1 ? " running task" : " running tasks"));
    }
  }

  private void started(TaskFact.Started fact) {
    if (verbose) {
      out.println(fact.task() + " started, process " + fact.pid());
    }
    if (started.add(fact.task()) && started.size() == tasks) {
      out.println(tasks + "/" + tasks + " tasks running");
    }
  }

  private void succeeded(TaskFact.Succeeded fact) {
    progress.tellUntold();
    succeeded.add(fact.task());
    if (tasks <= TOLD_TASKS || verbose) {
      out.println(fact.task() + " succeeded");
    }
    if (!fact.outputsLeftOut().isEmpty()) {
      mishap(fact.task() + ": " + fact.outputsLeftOut());
    }
  }

  // ---- What goes wrong, and is tried again ----

  private void failed(TaskFact.Failed fact) {
    progress.ended(fact.task());
    failed.add(fact.task());
    lastWords.failed(fact);
    told = fact;
    mishap(fact.message() + ", log " + fact.log());
  }

  private void pending(PendingFailure fact) {
    String line =
        fact.failure().message()
            + ", as if because of another task; TonY waits up to "
            + fact.limit() / 1000
            + " s for YARN's report of a loss before that counts";
    if (mishap(line)) {
      tellLastWords(fact.task(), LastWords.lastOf(fact.failure()));
    }
  }

  private void held(LookFact.Held fact) {
    if (mishap(LookingIn.line(fact, application))) {
      tellLastWords(fact.task(), LastWords.lastOf(fact.stderr()));
    }
  }

  private void firstCause(FirstCause fact) {
    if (!mishap(FirstCauseLine.of(fact))) {
      return;
    }
    if (!fact.failure().equals(told)) {
      tellLastWords(fact.task(), LastWords.lastOf(fact.failure()));
    }
    told = fact.failure();
  }

  private void taskRestarted(TaskFact.Restarted fact) {
    stands.tellAll();
    started.remove(fact.task());
    failed.remove(fact.task());
    progress.startsAgain(fact.task());
    if (!fact.kept()) {
      allocations.askedForOneMore();
    }
    String why = lastWords.takeOf(fact.task());
    if (mishap(RestartLine.of(fact))) {
      tellLastWords(fact.task(), why);
    }
  }

  private void gangRestarted(GangFact.Restarted fact) {
    progress.gangStartsAgain();
    succeeded.removeIf(task -> !fact.done().contains(task.role()));
    failed.removeIf(task -> !fact.done().contains(task.role()));
    started.removeIf(task -> !succeeded.contains(task) && !failed.contains(task));
    boolean some = allocations.askedAgainBut(succeeded.size() + failed.size() + fact.kept());
    out.println(RestartLine.of(fact, some, tasks));
    if (fact.kind() != FailureKind.RESIZED) {
      tellLastWords(fact.task(), lastWords.takeOf(fact.task()));
    }
    lastWords.forget();
  }

  private void grows(SizeFact.Grows fact) {
    long now = started.stream().filter(task -> task.role().equals(fact.role())).count();
    out.println(SizeLine.of(fact, now));
  }

  private void resized(SizeFact.Resized fact) {
    tasks += fact.more();
    started.removeIf(fact::isGone);
    succeeded.removeIf(fact::isGone);
    failed.removeIf(fact::isGone);
    allocations.resized(fact);
    out.println(SizeLine.of(fact));
  }

  private void tellLastWords(TaskId task, String line) {
    if (!line.isEmpty()) {
      out.println("  the last line of the stderr of " + task + ": " + line);
    }
  }

  /** They take no room from failures, which say more. */
  private void straggler(UsageFact.Straggler straggler) {
    stragglers += straggler.recovered() ? 0 : 1;
    if (stragglers <= TOLD_TASKS || verbose) {
      out.println(straggler.message());
    }
  }

  /** Returns whether it is told. */
  private boolean mishap(String line) {
    mishaps++;
    boolean told = mishaps <= TOLD_TASKS || verbose;
    if (told) {
      out.println(line);
    } else if (mishaps == TOLD_TASKS + 1) {
      out.println("more of the kind happens to other tasks; -v or the event log tells it");
    }
    return told;
  }

  /** Whether containers are asked for that are not there. */
  boolean waits() {
    return allocations.waits();
  }

  /** Nothing has happened for a while; what is waited for is told once, until it changes. */
  void tellWait() {
    allocations.tellWait();
  }

  private void verbose(JobEvent event, String what) {
    if (verbose) {
      out.println(event.task() + " " + what);
    }
  }
}
