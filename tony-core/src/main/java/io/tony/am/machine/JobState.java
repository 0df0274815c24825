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
 * All that the machine knows of a job. Immutable.
 *
 * @param seed differs from application to application: what chance is made of
 * @param budget what is left of the gang's retries
 * @param modelParams what a preprocessing program hands on to the others; empty for nothing
 * @param result set while STOPPING and once FINISHED: how the job ends; null before
 * @param startedAt when its first ApplicationMaster took it up; null before
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

  /** Under this name a preprocessing program puts out what the others are to be told. */
  static final String MODEL_PARAMS = "MODEL_PARAMS";

  /**
   * The state of a job of which nothing has been asked yet.
   *
   * @param seed a number of its own for each application
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

  /** From where the gang's present start goes on; null where that was not told. */
  public CheckpointFact.ResumeDecision resumedFrom() {
    return gang.checkpoints().resumedFrom();
  }

  /** The sets of checkpoints from which tasks of it go on that started by themselves. */
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

  /** With so many MiB in what is asked for from now on for the role. */
  JobState withMemory(String role, long memoryMiB) {
    JobSpec next = job.with(job.role(role).withMemory(memoryMiB));
    return new JobState(
        next, seed, phase, gang, budget, clusterView, modelParams, result, startedAt, progress);
  }

  /** With another number of tasks of a role. */
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

  JobState startedAt(Instant at) {
    return new JobState(
        job, seed, phase, gang, budget, clusterView, modelParams, result, at, progress);
  }

  JobState with(ChiefProgress next) {
    return new JobState(
        job, seed, phase, gang, budget, clusterView, modelParams, result, startedAt, next);
  }

  /** The outcome is decided: whatever still waits for a container does so no longer. */
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
   * A phase that follows from what the tasks lack that start together; the other phases are
   * decided.
   */
  JobState withDerivedPhase() {
    boolean pending = isGangStartBlockedBy(TaskState.REQUESTED);
    if (phase == Phase.ALLOCATING && !pending) {
      return withPhase(Phase.REGISTERING);
    }
    return phase == Phase.REGISTERING && pending ? withPhase(Phase.ALLOCATING) : this;
  }

  /** How many tasks the job still waits for. */
  int openTaskCount() {
    int count = 0;
    for (RoleSpec role : job.roles()) {
      if (awaits(role)) {
        count += role.instances() - tasks().endedCount(role.name());
      }
    }
    return count;
  }

  /** How many tasks that the job waits for, or waited for, have succeeded. */
  int succeededTaskCount() {
    int count = 0;
    for (RoleSpec role : job.roles()) {
      if (role.supervision() == Supervision.TRACKED) {
        count += tasks().count(role.name(), TaskState.SUCCEEDED);
      }
    }
    return count;
  }

  /** True for a task that the job still waits for. */
  boolean awaits(Task task) {
    return awaits(role(task)) && !task.state().ended();
  }

  private boolean awaits(RoleSpec role) {
    return role.supervision() == Supervision.TRACKED && !gang.excusedRoles().contains(role.name());
  }

  /** How many containers of which roles can be asked for, and were not yet. */
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

  /** True when no role that this one depends on is waited for any more. */
  boolean mayStart(RoleSpec role) {
    return role.dependsOn().stream().allMatch(this::isRoleFinished);
  }

  /** True when nobody waits for the role any more: it has ended, or the job goes on without it. */
  boolean isRoleFinished(String role) {
    return isRoleEnded(role) || gang.excusedRoles().contains(role);
  }

  boolean isRoleEnded(String role) {
    return tasks().endedCount(role) == job.role(role).instances();
  }

  /**
   * Roles whose work was for others and is not done again when the gang starts again: all their
   * tasks have succeeded, or have ended before the roles that waited for them were asked for.
   *
   * @param failed why the gang starts again: its role has not done its part, unless the task has
   *     succeeded and only stands for a gang that grows
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
   * Roles that have to wait when the gang starts again: what they depend on is done again, and they
   * are not done themselves.
   */
  Set<String> rolesWaitingAgain(TaskId failed) {
    Set<String> done = rolesDoneForGood(failed);
    return job.roles().stream()
        .filter(role -> !done.contains(role.name()) && !done.containsAll(role.dependsOn()))
        .map(RoleSpec::name)
        .collect(Collectors.toSet());
  }

  /** Where the job's TensorBoard listens; empty while none does. */
  public String tensorBoardUrl() {
    Task host = tasks().get(job.tensorBoardHost());
    return host.started() ? host.tensorBoardUrl() : "";
  }

  /** Whether the task may start again in the container that it has. */
  boolean keepsContainer(Task task, Instant now) {
    return MemoryEscalation.fits(this, task) && !task.isPreempted(job.limits(), now);
  }

  /** The tasks that hold one of these containers. */
  public List<TaskKey> taskKeysIn(Set<String> containers) {
    return tasks().stream()
        .filter(task -> task.state().holdsContainer() && containers.contains(task.container()))
        .map(Task::key)
        .toList();
  }

  /** Whether the start of the others waits for a task in this state: none that starts by itself. */
  boolean isGangStartBlockedBy(TaskState state) {
    return job.roles().stream().anyMatch(role -> tasks().countTogether(role.name(), state) > 0);
  }

  /** Whether a task in this state is missed, by those that run or by those that are to start. */
  boolean isMissingTaskIn(TaskState state) {
    return isGangStartBlockedBy(state)
        || job.roles().stream()
            .anyMatch(role -> !isOptional(role) && tasks().count(role.name(), state) > 0);
  }

  /** True while tasks that are to start together lack containers. */
  boolean isGathering() {
    return phase == Phase.ALLOCATING || phase == Phase.BACKING_OFF;
  }

  /** True for a task that starts as soon as it is registered. */
  boolean startsIndependently(Task task) {
    return job.mode() == DistributedMode.FCFS || task.alone();
  }

  /**
   * True for a task of a role that the job neither waits for nor fails with, where the other tasks
   * do not wait for its start either: whatever becomes of it, the job goes on.
   */
  boolean canContinueWithout(Task task) {
    return isOptional(role(task)) && startsIndependently(task);
  }

  /** True for a role that the job neither waits for nor fails with. */
  boolean isOptional(RoleSpec role) {
    return switch (role.supervision()) {
      case SIDECAR -> true;
      case UNTRACKED -> false;
      case TRACKED -> gang.excusedRoles().contains(role.name()) && !role.stopsJob();
    };
  }

  /** Whether the others depend on the task: nobody misses a sidecar. */
  boolean isNeededByOthers(Task task) {
    return role(task).supervision() != Supervision.SIDECAR;
  }

  RoleSpec role(Task task) {
    return job.role(task.id().role());
  }
}
