package io.tony.am.machine;

import io.tony.model.DistributedMode;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Who pays for a failure, whom it is charged to, and what is named as its cause. */
final class PayInvariants {
  /** Within so many milliseconds YARN tells of a container, where it knows of its end at once. */
  static final long SHORT_WAIT = 2_500;

  /** An answer is worth something for a little longer. */
  private static final long LASTS = 50_000;

  private final JobSpec job;
  private final SimulatedWorld world;

  /** Starts of the gang whose first failure was charged to the user's budget, and is still. */
  private final Set<String> charged = new HashSet<>();

  /** By task, when its program was asked for a checkpoint last from which the gang grows. */
  private final Map<TaskKey, Long> asked = new HashMap<>();

  /** The failure that ended the job, when that was, and what was left to pay for losses then. */
  private JobEvent fatal;

  private long fatalAt;
  private RetryBudget left;

  /** By task, when its program's end was told first. */
  private final Map<TaskKey, Long> exited = new HashMap<>();

  private Set<TaskKey> ran = Set.of();

  /** Tasks that were lost, and whose start by itself somebody has paid for. */
  private final Set<TaskId> paid = new HashSet<>();

  PayInvariants(JobSpec job, SimulatedWorld world) {
    this.job = job;
    this.world = world;
  }

  void check(JobState before, Event event, Decision decision, long now) {
    checkAsks(decision, now);
    if (event instanceof Event.TaskExited exit) {
      exited.putIfAbsent(exit.key(), now);
    }
    for (JobEvent fact : decision.facts()) {
      checkOnce(before, fact);
      switch (fact.type()) {
        case TASK_RESTARTED -> checkAlone(before, fact, decision);
        case GANG_RESTARTED -> checkGang(before, fact, decision);
        case FIRST_CAUSE -> checkCause(before, fact, decision);
        case TASK_FAILED -> checkSignal(before, event, fact, now);
        case JOB_STOPPING -> checkEnd(before, fact, decision, now);
        default -> {}
      }
    }
    if (fatal != null && event instanceof Event.ContainerEnded ended) {
      checkConsequence(ended, now);
    }
  }

  private Supervision supervision(TaskId task) {
    return job.role(task.role()).supervision();
  }

  // ---- Starts ----

  private void checkOnce(JobState before, JobEvent fact) {
    switch (fact.type()) {
      case TASK_FAILED, TASK_REGISTERED -> paid.remove(fact.task());
      case TASK_RESTARTED -> {
        if (Set.of("role", "job").contains(fact.detail("charged"))) {
          paid.add(fact.task());
        }
      }
      case GANG_RESTARTED -> {
        Rule.A_LOSS_IS_PAID_ONCE.require(
            !fact.detail("charged").equals("job") || !paid.contains(fact.task()),
            () -> "it was paid for: " + fact);
        boolean pending = !before.gang().gangFailure().pendingFailures().isEmpty();
        Rule.A_PENDING_FAILURE_IS_NOT_FREE.require(
            !pending || !fact.detail("message").contains("it is given back"),
            () -> before.gang().gangFailure().pendingFailures() + " start again with " + fact);
        paid.clear();
      }
      default -> {}
    }
  }

  private void checkAlone(JobState before, JobEvent fact, Decision decision) {
    boolean blameless = fact.detail("message").contains("another process holds a port");
    if (!fact.detail("charged").equals("job") || blameless) {
      return;
    }
    Task task = before.tasks().get(fact.task());
    boolean needed = WaitInvariants.isNeeded(before, task);
    Rule.NO_SIDECAR_IS_CHARGED.require(
        needed || before.phase() != Phase.RUNNING, () -> "the job pays: " + fact);
    requireTheRoleFirst(before, task, () -> "the job pays: " + fact);
    checkMemory(before, fact, decision);
  }

  /** Of one that starts by itself; of one that a gang has not seen yet the job pays. */
  private void requireTheRoleFirst(JobState before, Task task, Supplier<String> how) {
    boolean itself = task.alone() || task.isRunning() || job.mode() == DistributedMode.FCFS;
    int retries = job.role(task.id().role()).maxTaskRetries();
    Rule.THE_ROLE_PAYS_FIRST.require(
        !itself || task.retries() >= retries || before.phase() == Phase.STOPPING,
        () -> how.get() + ", of " + (retries - task.retries()) + " retries of the role");
  }

  private void checkGang(JobState before, JobEvent fact, Decision decision) {
    boolean sidecar = !WaitInvariants.isNeeded(before, before.tasks().get(fact.task()));
    Rule.NO_SIDECAR_IS_CHARGED.require(
        !sidecar || before.phase() != Phase.RUNNING || fact.detail("charged").equals("nobody"),
        () -> "the gang starts again for a sidecar: " + fact);
    boolean ofTheProgram =
        fact.detail("kind").equals("PROGRAM") && fact.detail("charged").equals("job");
    if (ofTheProgram) {
      charged.add(Integer.toString(before.session()));
    }
    checkMemory(before, fact, decision);
    for (String role : job.dependencyRoles()) {
      int done = decision.state().tasks().endedCount(role);
      int all = decision.state().job().role(role).instances();
      Rule.DONE_STAYS_DONE.require(
          done == 0 || done == all || decision.state().phase() == Phase.STOPPING,
          () -> "of " + role + " only some start again: " + decision.state());
    }
  }

  private void checkMemory(JobState before, JobEvent fact, Decision decision) {
    Task task = before.tasks().get(fact.task());
    RoleSpec role = before.job().role(fact.task().role());
    long most =
        role.memoryGrowth().maxMiB() == 0 ? SimulatedWorld.LARGEST : role.memoryGrowth().maxMiB();
    boolean may =
        fact.detail("kind").equals("MEMORY")
            && role.memoryGrowth().isEnabled()
            && task.memoryMiB() == role.resource().memoryMiB()
            && task.memoryMiB() < Math.min(most, SimulatedWorld.LARGEST);
    Rule.MEMORY_GROWS.require(
        !may || decision.state().job().role(role.name()).resource().memoryMiB() > task.memoryMiB(),
        () -> "it stays at " + task.memoryMiB() + " MiB: " + fact);
  }

  // ---- Causes ----

  private void checkCause(JobState before, JobEvent fact, Decision decision) {
    Rule.NO_SIDECAR_IS_A_CAUSE.require(
        supervision(fact.task()) != Supervision.SIDECAR, () -> "the first cause: " + fact);
    String gang = fact.detail("gang");
    boolean lost =
        Set.of("LOST", "PREEMPTED", "AM_LOST").contains(fact.detail("kind"))
            && fact.detail("exitCode").isEmpty();
    boolean again = decision.state().result() == null && before.result() == null;
    if (charged.contains(gang) && lost && again) {
      Rule.A_LOSS_REFUNDS.require(
          fact.detail("refund").equals("PROGRAM"), () -> "the user pays for " + fact);
      charged.remove(gang);
    }
  }

  // ---- Signals, and the keeper ----

  private void checkAsks(Decision decision, long now) {
    boolean all =
        decision.facts().stream().anyMatch(fact -> fact.type() == JobEvent.Type.GANG_GROWS);
    Set<TaskId> told = new HashSet<>();
    boolean gang = false;
    for (Action action : decision.actions()) {
      if (action instanceof Action.RequestCheckpoint ask) {
        told.add(ask.key().task());
        if (all) {
          asked.put(ask.key(), now);
        }
        gang |= job.role(ask.key().task().role()).maxTaskRetries() == 0;
      }
    }
    Task chief = decision.state().tasks().get(job.chief());
    boolean keeps =
        (all || gang) && chief.isRunning() && supervision(job.chief()) != Supervision.SIDECAR;
    Rule.THE_KEEPER_IS_ASKED.require(
        !keeps || told.contains(job.chief()), () -> "only these are asked: " + told);
  }

  private void checkSignal(JobState before, Event event, JobEvent fact, long now) {
    boolean upon =
        event instanceof Event.TaskExited exited
            && exited.key().task().equals(fact.task())
            && exited.exit().code() == SimulatedPrograms.UPON_SIGNAL
            && !world.isClockSet()
            && (now - asked.getOrDefault(exited.key(), Long.MIN_VALUE / 2) < LASTS
                || isAnnounced(before, fact));
    boolean lost = fact.detail("kind").equals(FailureKind.PROGRAM.name());
    Rule.A_SIGNAL_IS_NO_FAILURE.require(!upon || !lost, () -> "it was asked: " + fact);
  }

  /** YARN is going to take the container of a task that starts with the others. */
  private boolean isAnnounced(JobState before, JobEvent failure) {
    return job.role(failure.task().role()).maxTaskRetries() == 0
        && before.tasks().stream()
            .filter(one -> one.state().holdsContainer() && one.preemptionAnnouncedAt() != null)
            .filter(one -> WaitInvariants.isNeeded(before, one))
            .filter(one -> job.role(one.id().role()).maxTaskRetries() == 0)
            .anyMatch(
                one ->
                    Duration.between(one.preemptionAnnouncedAt(), failure.time()).toMillis()
                        < LASTS);
  }

  // ---- The end ----

  private void checkEnd(JobState before, JobEvent fact, Decision decision, long now) {
    JobResult result = decision.state().result();
    if (result.status() != JobResult.Status.FAILED || result.task() == null) {
      return;
    }
    if (!before.tasks().contains(result.task())) {
      return;
    }
    Task task = before.tasks().get(result.task());
    Rule.NO_SIDECAR_DECIDES.require(
        WaitInvariants.isNeeded(before, task) || before.phase() != Phase.RUNNING,
        () -> "the job ends for " + fact);
    boolean ofTheContainer =
        result.kind() == FailureKind.LOST || result.kind() == FailureKind.PREEMPTED;
    if (ofTheContainer) {
      requireTheRoleFirst(before, task, () -> "the job ends for " + fact);
    }
    List<JobEvent> failures =
        decision.facts().stream()
            .filter(one -> one.type() == JobEvent.Type.TASK_FAILED)
            .filter(one -> one.task().equals(result.task()))
            .toList();
    boolean consequence =
        result.kind() == FailureKind.PROGRAM
            && !result.futile()
            && before.phase() == Phase.RUNNING
            && !failures.isEmpty()
            && failures.get(0).detail("stderr").equals(SimulatedPrograms.CONSEQUENCE);
    if (consequence) {
      fatal = failures.get(0);
      fatalAt = exited.getOrDefault(task.key(), now);
      left = before.budget();
      ran = new HashSet<>();
      before.tasks().stream()
          .filter(one -> one.state() == TaskState.RUNNING)
          .filter(one -> WaitInvariants.isNeeded(before, one))
          .filter(one -> job.role(one.id().role()).maxTaskRetries() == 0)
          .forEach(one -> ran.add(one.key()));
    }
  }

  /** YARN tells of a loss of the same moment, right behind the failure that ended the job. */
  private void checkConsequence(Event.ContainerEnded ended, long now) {
    SimulatedExecutor executor = world.executorIn(ended.key().container());
    boolean same =
        ran.contains(ended.key())
            && executor != null
            && executor.lostAt <= fatalAt
            && fatalAt - executor.lostAt < 5_000
            && now - fatalAt < SHORT_WAIT;
    boolean could =
        (ended.cause() == FailureKind.LOST || ended.cause() == FailureKind.PREEMPTED)
            && left.remaining(ended.cause()) > 0;
    Rule.A_CONSEQUENCE_WAITS_FOR_ITS_CAUSE.require(
        !same || !could, () -> "the job ends for " + fatal + ", and " + ended + " is survived");
  }
}
