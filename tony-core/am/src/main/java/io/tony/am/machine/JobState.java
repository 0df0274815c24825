package io.tony.am.machine;

import io.soabase.recordbuilder.core.RecordBuilder;
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
import org.jspecify.annotations.Nullable;

/**
 * The complete state of a job, from which the {@link JobMachine} decides. Immutable.
 *
 * @param seed seed of random decisions; differs between applications
 * @param budget remaining retries of the gang
 * @param modelParams output of the job's preprocessing program, for its other programs; empty if
 *     none
 * @param result how the job ends; null until the job is stopping
 * @param startedAt when the job's first ApplicationMaster started; null before
 */
@RecordBuilder
public record JobState(
    JobSpec job,
    long seed,
    Phase phase,
    GangState gang,
    RetryBudget budget,
    ClusterView clusterView,
    String modelParams,
    @Nullable JobResult result,
    @Nullable Instant startedAt,
    ChiefProgress progress) {

  /**
   * Key of the output with which a preprocessing program passes parameters to the job's other
   * programs.
   */
  static final String MODEL_PARAMS = "MODEL_PARAMS";

  /**
   * Returns the state of a job for which nothing has been requested.
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

  /** Returns the decision on where the current start of the gang resumes; null if not made yet. */
  public CheckpointFact.@Nullable ResumeDecision resumedFrom() {
    return gang.checkpoints().resumedFrom();
  }

  /**
   * Returns the names of the checkpoint sets from which tasks that restarted alone have resumed
   * since the gang's last start.
   */
  public Set<String> setsResumedAlone() {
    return gang.checkpoints().setsResumedAlone();
  }

  public TaskTable tasks() {
    return gang.tasks();
  }

  JobState withPhase(Phase next) {
    return toBuilder().phase(next).build();
  }

  JobState with(GangState next) {
    return toBuilder().gang(next).build();
  }

  JobState with(TaskTable next) {
    return with(gang.with(next));
  }

  JobState with(Task task) {
    return with(tasks().with(task));
  }

  JobState with(RetryBudget next) {
    return toBuilder().budget(next).build();
  }

  JobState with(ClusterView next) {
    return toBuilder().clusterView(next).build();
  }

  /** Returns a copy in which later requests for containers of the role ask for this memory. */
  JobState withMemory(String role, long memoryMiB) {
    JobSpec next = job.with(job.role(role).withMemory(memoryMiB));
    return toBuilder().job(next).build();
  }

  /**
   * Returns a copy in which a role has another number of tasks.
   *
   * @param at when the number changed; new tasks wait for their containers from then on
   */
  JobState resized(ResizeFact.Resized fact, Instant at) {
    JobSpec next = job.with(job.role(fact.role()).withInstances(fact.instances()));
    GangState gangNow = gang.resized(fact, tasks().resized(next, fact, at));
    return toBuilder().job(next).gang(gangNow).build();
  }

  JobState withModelParams(String next) {
    return toBuilder().modelParams(next).build();
  }

  JobState withStartedAt(Instant at) {
    return toBuilder().startedAt(at).build();
  }

  JobState with(ChiefProgress next) {
    return toBuilder().progress(next).build();
  }

  /**
   * Returns a copy in phase STOPPING with this result, in which tasks that were waiting for a
   * container are in state STOPPED.
   */
  JobState stopping(JobResult outcome) {
    TaskTable next = tasks();
    for (Task task : tasks()) {
      if (task.state().awaitsContainer()) {
        next = next.with(task.withState(TaskState.STOPPED));
      }
    }
    return toBuilder().phase(Phase.STOPPING).gang(gang.with(next)).result(outcome).build();
  }

  JobState finished(JobResult outcome) {
    return toBuilder().phase(Phase.FINISHED).result(outcome).build();
  }

  /**
   * Updates the phases ALLOCATING and REGISTERING: returns a copy in phase ALLOCATING if the gang's
   * start waits for a container, and in phase REGISTERING if it waits for none. Returns this object
   * in any other phase, because those phases do not follow from the tasks' states.
   */
  JobState withDerivedPhase() {
    boolean pending = isGangStartBlockedBy(TaskState.REQUESTED);
    if (phase == Phase.ALLOCATING && !pending) {
      return withPhase(Phase.REGISTERING);
    }
    return phase == Phase.REGISTERING && pending ? withPhase(Phase.ALLOCATING) : this;
  }

  /**
   * Returns the number of tasks for whose end the job still waits: tasks that have not ended and
   * without whose end the job cannot succeed.
   */
  int openTaskCount() {
    int count = 0;
    for (RoleSpec role : job.roles()) {
      if (awaits(role)) {
        count += role.instances() - tasks().endedCount(role.name());
      }
    }
    return count;
  }

  /** Returns the number of succeeded tasks in tracked roles. */
  int succeededTaskCount() {
    int count = 0;
    for (RoleSpec role : job.roles()) {
      if (role.supervision() == Supervision.TRACKED) {
        count += tasks().count(role.name(), TaskState.SUCCEEDED);
      }
    }
    return count;
  }

  /** Returns true if the job cannot succeed before this task has ended. */
  boolean awaits(Task task) {
    return awaits(role(task)) && !task.state().ended();
  }

  private boolean awaits(RoleSpec role) {
    return role.supervision() == Supervision.TRACKED && !gang.excusedRoles().contains(role.name());
  }

  /**
   * Returns the number of containers that were not requested yet, for each role that may start.
   * Roles without such containers are left out.
   */
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

  /** Returns true if all tasks of the role have ended, or if the job goes on without the role. */
  boolean isRoleFinished(String role) {
    return isRoleEnded(role) || gang.excusedRoles().contains(role);
  }

  boolean isRoleEnded(String role) {
    return tasks().endedCount(role) == job.role(role).instances();
  }

  /**
   * Returns the roles that do not run again when the gang restarts. These are roles that other
   * roles depend on, and of which all tasks have succeeded, or had ended before the dependent roles
   * were requested.
   *
   * @param failed the task because of which the gang restarts. Its role runs again, unless this
   *     task has succeeded, as may be when the gang restarts in order to grow.
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
   * Returns the roles that must wait for other roles again when the gang restarts: roles that run
   * again and depend on a role that runs again.
   *
   * @param failed the task because of which the gang restarts
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

  /**
   * Returns true if the task may restart in its current container: the container has as much memory
   * as the role now requests, and YARN is not about to preempt it.
   */
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
   * Returns true if the gang's start has to wait because a task is in this state. Tasks that start
   * alone do not count.
   */
  boolean isGangStartBlockedBy(TaskState state) {
    return job.roles().stream().anyMatch(role -> tasks().countTogether(role.name(), state) > 0);
  }

  /**
   * Returns true if a task that the gang needs is in this state. The gang needs every task, except
   * those of optional roles that start alone.
   *
   * @param state a state in which the task's program cannot start yet, such as REQUESTED
   */
  boolean isMissingTaskIn(TaskState state) {
    return isGangStartBlockedBy(state)
        || job.roles().stream()
            .anyMatch(role -> !isOptional(role) && tasks().count(role.name(), state) > 0);
  }

  /** Returns true while the gang waits or backs off for the containers of its start. */
  boolean isGathering() {
    return phase == Phase.ALLOCATING || phase == Phase.BACKING_OFF;
  }

  /**
   * Returns true if the task's program starts when its executor has registered, without waiting for
   * other tasks.
   */
  boolean startsIndependently(Task task) {
    return job.mode() == DistributedMode.FCFS || task.alone();
  }

  /**
   * Returns true if the job goes on without the task: the role is optional, and the start of no
   * other task waits for this one.
   */
  boolean canContinueWithout(Task task) {
    return isOptional(role(task)) && startsIndependently(task);
  }

  /**
   * Returns true if the job neither waits for the role's end nor fails when a task of the role
   * fails.
   */
  boolean isOptional(RoleSpec role) {
    return switch (role.supervision()) {
      case SIDECAR -> true;
      case UNTRACKED -> false;
      case TRACKED -> gang.excusedRoles().contains(role.name()) && !role.stopsJob();
    };
  }

  /**
   * Returns true if other tasks may fail when this task ends, because they work together with it:
   * true in all roles except sidecars.
   */
  boolean isNeededByOthers(Task task) {
    return role(task).supervision() != Supervision.SIDECAR;
  }

  RoleSpec role(Task task) {
    return job.role(task.id().role());
  }

  private JobStateBuilder toBuilder() {
    return JobStateBuilder.toBuilder(this);
  }
}
