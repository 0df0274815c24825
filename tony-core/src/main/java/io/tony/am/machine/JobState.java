package io.tony.am.machine;

import io.tony.event.CheckpointFact;
import io.tony.event.ResizeFact;
import io.tony.model.DistributedMode;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The complete state of a job as known to the machine. Immutable.
 *
 * @param seed seed of random decisions; differs between applications
 * @param budget remaining retries of the gang
 * @param modelParams output of a preprocessing program for the other programs; empty if none
 * @param result how the job ends; set while STOPPING and once FINISHED, null before
 * @param startedAt when the first ApplicationMaster started the job; null before
 */
public record JobState(
    JobSpec job,
    long seed,
    Phase phase,
    GangState gang,
    RetryBudget budget,
    ClusterView clusterView,
    String modelParams,
    JobResult result,
    Instant startedAt,
    ChiefProgress progress) {

  /** Key under which a preprocessing program outputs the parameters for the other programs. */
  static final String MODEL_PARAMS = "MODEL_PARAMS";

  /**
   * Returns the state of a job before anything is requested.
   *
   * @param seed a number that differs between applications
   */
  public static JobState initial(JobSpec job, long seed) {
    return new JobState(
        job,
        seed,
        Phase.NEW,
        new GangState(
            0,
            0,
            TaskTable.of(job),
            0,
            Map.of(),
            Set.of(),
            0,
            GangFailure.NONE,
            CheckpointState.NONE,
            Resizes.NONE),
        RetryBudget.of(job.limits().retries()),
        ClusterView.unknown(),
        "",
        null,
        null,
        ChiefProgress.NONE);
  }

  public int session() {
    return gang.session();
  }

  /** Returns the decision where the gang's current start resumes; null if not known. */
  public CheckpointFact.ResumeDecision resumedFrom() {
    return gang.checkpoints().resumedFrom();
  }

  /** Returns the checkpoint sets that individually started tasks of the gang resume from. */
  public Set<String> setsResumedAlone() {
    return gang.checkpoints().setsResumedAlone();
  }

  public TaskTable tasks() {
    return gang.tasks();
  }

  JobState withPhase(Phase next) {
    return new JobState(
        job, seed, next, gang, budget, clusterView, modelParams, result, startedAt, progress);
  }

  JobState with(GangState next) {
    return new JobState(
        job, seed, phase, next, budget, clusterView, modelParams, result, startedAt, progress);
  }

  JobState with(TaskTable next) {
    return with(gang.with(next));
  }

  JobState with(Task task) {
    return with(tasks().with(task));
  }

  JobState with(RetryBudget next) {
    return new JobState(
        job, seed, phase, gang, next, clusterView, modelParams, result, startedAt, progress);
  }

  JobState with(ClusterView next) {
    return new JobState(
        job, seed, phase, gang, budget, next, modelParams, result, startedAt, progress);
  }

  /** Returns a copy in which containers of the role have this memory in later requests. */
  JobState withMemory(String role, long memoryMiB) {
    JobSpec next = job.with(job.role(role).withMemory(memoryMiB));
    return new JobState(
        next, seed, phase, gang, budget, clusterView, modelParams, result, startedAt, progress);
  }

  /** Returns a copy with another number of tasks of a role. */
  JobState resized(ResizeFact.Resized fact, Instant at) {
    JobSpec next = job.with(job.role(fact.role()).withInstances(fact.instances()));
    GangState gangNow = gang.resized(fact, tasks().resized(next, fact, at));
    return new JobState(
        next, seed, phase, gangNow, budget, clusterView, modelParams, result, startedAt, progress);
  }

  JobState withModelParams(String next) {
    return new JobState(
        job, seed, phase, gang, budget, clusterView, next, result, startedAt, progress);
  }

  JobState withStartedAt(Instant at) {
    return new JobState(
        job, seed, phase, gang, budget, clusterView, modelParams, result, at, progress);
  }

  JobState with(ChiefProgress next) {
    return new JobState(
        job, seed, phase, gang, budget, clusterView, modelParams, result, startedAt, next);
  }

  /** Returns a copy whose outcome is decided: tasks that wait for a container are stopped. */
  JobState stopping(JobResult outcome) {
    TaskTable next = tasks();
    for (Task task : tasks()) {
      if (task.state().awaitsContainer()) {
        next = next.with(task.withState(TaskState.STOPPED));
      }
    }
    return new JobState(
        job,
        seed,
        Phase.STOPPING,
        gang.with(next),
        budget,
        clusterView,
        modelParams,
        outcome,
        startedAt,
        progress);
  }

  JobState finished(JobResult outcome) {
    return new JobState(
        job,
        seed,
        Phase.FINISHED,
        gang,
        budget,
        clusterView,
        modelParams,
        outcome,
        startedAt,
        progress);
  }

  /**
   * Returns a copy in the phase that follows from what the gang's tasks lack. Only ALLOCATING and
   * REGISTERING are derived; the other phases are decided.
   */
  JobState withDerivedPhase() {
    boolean pending = isGangStartBlockedBy(TaskState.REQUESTED);
    if (phase == Phase.ALLOCATING && !pending) {
      return withPhase(Phase.REGISTERING);
    }
    return phase == Phase.REGISTERING && pending ? withPhase(Phase.ALLOCATING) : this;
  }

  /** Returns the number of tasks that the job still waits for. */
  int openTaskCount() {
    int count = 0;
    for (RoleSpec role : job.roles()) {
      if (awaits(role)) {
        count += role.instances() - tasks().endedCount(role.name());
      }
    }
    return count;
  }

  /** Returns the number of succeeded tasks in roles that the job waits for. */
  int succeededTaskCount() {
    int count = 0;
    for (RoleSpec role : job.roles()) {
      if (role.supervision() == Supervision.TRACKED) {
        count += tasks().count(role.name(), TaskState.SUCCEEDED);
      }
    }
    return count;
  }

  /** Returns true if the job still waits for the task. */
  boolean awaits(Task task) {
    return awaits(role(task)) && !task.state().ended();
  }

  private boolean awaits(RoleSpec role) {
    return role.supervision() == Supervision.TRACKED && !gang.excusedRoles().contains(role.name());
  }

  /** Returns the number of containers, by role, that may be requested and have not been. */
  public Map<RoleSpec, Integer> unrequestedContainers() {
    Map<RoleSpec, Integer> unrequested = new LinkedHashMap<>();
    for (RoleSpec role : job.roles()) {
      int waiting = tasks().count(role.name(), TaskState.WAITING);
      if (waiting > 0 && mayStart(role)) {
        unrequested.put(role, waiting);
      }
    }
    return unrequested;
  }

  /** Returns true if every role that this role depends on is finished. */
  boolean mayStart(RoleSpec role) {
    return role.dependsOn().stream().allMatch(this::isRoleFinished);
  }

  /** Returns true if the role has ended or the job goes on without it. */
  boolean isRoleFinished(String role) {
    return isRoleEnded(role) || gang.excusedRoles().contains(role);
  }

  boolean isRoleEnded(String role) {
    return tasks().endedCount(role) == job.role(role).instances();
  }

  /**
   * Returns the roles that other roles depended on and that are not run again when the gang
   * restarts: all their tasks have succeeded, or had ended before the dependent roles were
   * requested.
   *
   * @param failed the task that causes the restart. Its role is not done, unless the task has
   *     succeeded: then the task only represents a gang that restarts in order to grow.
   */
  Set<String> rolesDoneForGood(TaskId failed) {
    String failedRole = tasks().get(failed).state() == TaskState.SUCCEEDED ? "" : failed.role();
    Set<String> done = new LinkedHashSet<>();
    for (String role : job.dependencyRoles()) {
      boolean succeeded = tasks().count(role, TaskState.SUCCEEDED) == job.role(role).instances();
      if (isRoleEnded(role)
          && !role.equals(failedRole)
          && (succeeded || dependentsWereRequested(role))) {
        done.add(role);
      }
    }
    return done;
  }

  private boolean dependentsWereRequested(String awaited) {
    return job.roles().stream()
        .filter(role -> role.dependsOn().contains(awaited))
        .allMatch(role -> tasks().count(role.name(), TaskState.WAITING) == 0);
  }

  /**
   * Returns the roles that must wait when the gang restarts: they are not done, and neither is a
   * role they depend on.
   */
  Set<String> rolesWaitingAgain(TaskId failed) {
    Set<String> done = rolesDoneForGood(failed);
    return job.roles().stream()
        .filter(role -> !done.contains(role.name()) && !done.containsAll(role.dependsOn()))
        .map(RoleSpec::name)
        .collect(Collectors.toSet());
  }

  /** Returns the URL of the job's TensorBoard; empty while none listens. */
  public String tensorBoardUrl() {
    Task host = tasks().get(job.tensorBoardHost());
    return host.isRunning() ? host.tensorBoardUrl() : "";
  }

  /** Returns true if the task may restart in its current container. */
  boolean keepsContainer(Task task, Instant now) {
    return MemoryEscalation.fits(this, task) && !task.isPreemptionExpected(job.limits(), now);
  }

  /** Returns the keys of the tasks that hold one of these containers. */
  public List<TaskKey> taskKeysIn(Set<String> containers) {
    return tasks().stream()
        .filter(task -> task.state().holdsContainer() && containers.contains(task.container()))
        .map(Task::key)
        .toList();
  }

  /**
   * Returns true if the gang's start waits for a task in this state. Tasks that start alone do not
   * count.
   */
  boolean isGangStartBlockedBy(TaskState state) {
    return job.roles().stream().anyMatch(role -> tasks().countTogether(role.name(), state) > 0);
  }

  /** Returns true if the running gang, or its start, lacks a needed task that is in this state. */
  boolean isMissingTaskIn(TaskState state) {
    return isGangStartBlockedBy(state)
        || job.roles().stream()
            .anyMatch(role -> !isOptional(role) && tasks().count(role.name(), state) > 0);
  }

  /** Returns true while the gang lacks containers for its start. */
  boolean isGathering() {
    return phase == Phase.ALLOCATING || phase == Phase.BACKING_OFF;
  }

  /** Returns true if the task starts as soon as it is registered. */
  boolean startsIndependently(Task task) {
    return job.mode() == DistributedMode.FCFS || task.alone();
  }

  /**
   * Returns true if the job goes on without the task: the job neither waits for the task's role nor
   * fails with it, and no other task waits for the start of the task.
   */
  boolean canContinueWithout(Task task) {
    return isOptional(role(task)) && startsIndependently(task);
  }

  /** Returns true if the job neither waits for the role nor fails with it. */
  boolean isOptional(RoleSpec role) {
    return switch (role.supervision()) {
      case SIDECAR -> true;
      case UNTRACKED -> false;
      case TRACKED -> gang.excusedRoles().contains(role.name()) && !role.stopsJob();
    };
  }

  /** Returns true if other tasks depend on the task, that is for all roles except sidecars. */
  boolean isNeededByOthers(Task task) {
    return role(task).supervision() != Supervision.SIDECAR;
  }

  RoleSpec role(Task task) {
    return job.role(task.id().role());
  }
}
