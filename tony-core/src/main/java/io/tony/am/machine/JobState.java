package io.tony.am.machine;

import io.tony.model.DistributedMode;
import io.tony.model.FailureKind;
import io.tony.model.JobLimits;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.ResourceSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All that the machine knows of a job. Immutable.
 *
 * @param seed differs from application to application: what chance is made of
 * @param budget what is left of the gang's retries
 * @param modelParams what a preprocessing program hands on to the others; empty for nothing
 * @param result set while STOPPING and once FINISHED: how the job ends; null before
 * @param startedAt when its first ApplicationMaster took it up; null before
 * @param progressAt when progress was last recorded
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
    Instant progressAt) {

  /** Under this name a preprocessing program puts out what the others are to be told. */
  static final String MODEL_PARAMS = "MODEL_PARAMS";

  /**
   * The tasks, since the gang was last started, and what the gang has gone through.
   *
   * @param session how often it was started again
   * @param attempt the highest number that a task was started with
   * @param backOffs how often it gave its containers back to ask again
   * @param charges how often the job has paid for losses since every executor was there last, by
   *     kind
   * @param excused roles that the job goes on without
   * @param outputs how many characters its tasks have left as outputs
   */
  record GangState(
      int session,
      int attempt,
      TaskTable tasks,
      int backOffs,
      Map<FailureKind, Integer> charges,
      Set<String> excused,
      int outputs) {
    GangState {
      charges = Map.copyOf(charges);
      excused = Set.copyOf(excused);
    }

    GangState with(TaskTable next) {
      return new GangState(session, attempt, next, backOffs, charges, excused, outputs);
    }

    /** The same session with a task of the next attempt in it. */
    GangState nextAttempt(Task task) {
      return new GangState(
          session, task.attempt(), tasks.with(task), backOffs, charges, excused, outputs);
    }

    GangState nextSession(int nextAttempt, TaskTable next) {
      return new GangState(session + 1, nextAttempt, next, backOffs, charges, Set.of(), outputs);
    }

    GangState backedOff(TaskTable next) {
      return new GangState(session, attempt, next, backOffs + 1, charges, excused, outputs);
    }

    /**
     * Whether one more loss of the task is paid for. What takes a node away, or a burst of
     * preemptions, takes many tasks together: the job pays once for each time that the most-often
     * lost of them was lost.
     */
    boolean hasPaidFor(Task task, FailureKind kind) {
      return task.losses().getOrDefault(kind, 0) < charges.getOrDefault(kind, 0);
    }

    GangState charged(FailureKind kind) {
      Map<FailureKind, Integer> next = new EnumMap<>(FailureKind.class);
      next.putAll(charges);
      next.merge(kind, 1, Integer::sum);
      return new GangState(session, attempt, tasks, backOffs, next, excused, outputs);
    }

    /** Every executor is there: what is lost from now on has another cause. */
    GangState whole() {
      if (charges.isEmpty()) {
        return this;
      }
      TaskTable next = tasks;
      for (Task task : tasks) {
        next = task.losses().isEmpty() ? next : next.with(task.withoutLosses());
      }
      return new GangState(session, attempt, next, backOffs, Map.of(), excused, outputs);
    }

    GangState excusing(String role) {
      return new GangState(session, attempt, tasks, backOffs, charges, and(excused, role), outputs);
    }

    GangState leaving(int characters) {
      return new GangState(session, attempt, tasks, backOffs, charges, excused, outputs + characters);
    }
  }

  /**
   * What is known of the cluster.
   *
   * @param free what the queue can still give; null when YARN has not said
   * @param nodes how many there are; 0 when YARN has not said
   * @param avoided nodes on which no container is taken
   */
  record ClusterView(ResourceSpec free, int nodes, Set<String> avoided) {
    ClusterView {
      avoided = Set.copyOf(avoided);
    }

    ClusterView avoiding(String node) {
      return new ClusterView(free, nodes, and(avoided, node));
    }

    ClusterView forgiving() {
      return new ClusterView(free, nodes, Set.of());
    }
  }

  /** How many more times the gang may be started again, by the kind of failure. */
  public record RetryBudget(int user, int lost, int preempted) {
    static RetryBudget of(JobLimits.Retries retries) {
      return new RetryBudget(retries.user(), retries.lost(), retries.preempted());
    }

    /** How many are left for a kind. */
    int left(FailureKind kind) {
      return switch (kind) {
        case USER, MEMORY -> user;
        case LOST -> lost;
        case PREEMPTED -> preempted;
        case INVALID, AM_LOST, TIMEOUT, KILLED -> 0;
      };
    }

    /** The budget with so many left for the kind. */
    RetryBudget withLeft(FailureKind kind, int left) {
      return switch (kind) {
        case USER, MEMORY -> new RetryBudget(left, lost, preempted);
        case LOST -> new RetryBudget(user, left, preempted);
        case PREEMPTED -> new RetryBudget(user, lost, left);
        case INVALID, AM_LOST, TIMEOUT, KILLED -> this;
      };
    }
  }

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
        new GangState(0, 0, TaskTable.of(job), 0, Map.of(), Set.of(), 0),
        RetryBudget.of(job.limits().retries()),
        new ClusterView(null, 0, Set.of()),
        "",
        null,
        null,
        Instant.EPOCH);
  }

  public int session() {
    return gang.session();
  }

  public TaskTable tasks() {
    return gang.tasks();
  }

  JobState in(Phase next) {
    return new JobState(
        job, seed, next, gang, budget, clusterView, modelParams, result, startedAt, progressAt);
  }

  JobState with(GangState next) {
    return new JobState(
        job, seed, phase, next, budget, clusterView, modelParams, result, startedAt, progressAt);
  }

  JobState with(TaskTable next) {
    return with(gang.with(next));
  }

  JobState with(Task task) {
    return with(tasks().with(task));
  }

  JobState with(RetryBudget next) {
    return new JobState(
        job, seed, phase, gang, next, clusterView, modelParams, result, startedAt, progressAt);
  }

  JobState with(ClusterView next) {
    return new JobState(
        job, seed, phase, gang, budget, next, modelParams, result, startedAt, progressAt);
  }

  JobState withModelParams(String next) {
    return new JobState(
        job, seed, phase, gang, budget, clusterView, next, result, startedAt, progressAt);
  }

  JobState startedAt(Instant at) {
    return new JobState(
        job, seed, phase, gang, budget, clusterView, modelParams, result, at, progressAt);
  }

  JobState progressAt(Instant at) {
    return new JobState(job, seed, phase, gang, budget, clusterView, modelParams, result, startedAt, at);
  }

  /** The outcome is decided: whatever still waits for a container does so no longer. */
  JobState stopping(JobResult outcome) {
    TaskTable next = tasks();
    for (Task task : tasks()) {
      if (task.state().awaitsContainer()) {
        next = next.with(task.in(TaskState.STOPPED));
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
        progressAt);
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
        progressAt);
  }

  /** A phase that follows from what the tasks lack; the other phases are decided. */
  JobState settled() {
    boolean pending = tasks().count(TaskState.REQUESTED) > 0;
    if (phase == Phase.ALLOCATING && !pending) {
      return in(Phase.REGISTERING);
    }
    return phase == Phase.REGISTERING && pending ? in(Phase.ALLOCATING) : this;
  }

  /** How many tasks the job still waits for. */
  int open() {
    int open = 0;
    for (RoleSpec role : job.roles()) {
      if (awaits(role)) {
        open += role.instances() - tasks().ended(role.name());
      }
    }
    return open;
  }

  /** How many tasks that the job waits for, or waited for, have succeeded. */
  int succeeded() {
    int succeeded = 0;
    for (RoleSpec role : job.roles()) {
      if (role.supervision() == Supervision.TRACKED) {
        succeeded += tasks().count(role.name(), TaskState.SUCCEEDED);
      }
    }
    return succeeded;
  }

  /** True for a task that the job still waits for. */
  boolean awaits(Task task) {
    return awaits(role(task)) && !task.state().ended();
  }

  private boolean awaits(RoleSpec role) {
    return role.supervision() == Supervision.TRACKED && !gang.excused().contains(role.name());
  }

  /** True when every role that this one depends on has ended. */
  boolean mayStart(RoleSpec role) {
    return role.dependsOn().stream().allMatch(this::roleEnded);
  }

  boolean roleEnded(String role) {
    return tasks().ended(role) == job.role(role).instances();
  }

  /** What the task did was for others, and need not be done again. */
  boolean doneForGood(Task task) {
    return task.state() == TaskState.SUCCEEDED && job.awaited().contains(task.id().role());
  }

  /** Where the job's TensorBoard listens; empty while none does. */
  public String tensorBoardUrl() {
    Task host = tasks().get(job.tensorBoardHost());
    return host.started() ? host.tensorBoardUrl() : "";
  }

  /** The tasks that hold one of these containers. */
  public List<TaskKey> heldIn(Set<String> containers) {
    return tasks().stream()
        .filter(task -> task.state().holdsContainer() && containers.contains(task.container()))
        .map(Task::key)
        .toList();
  }

  /** True while some task that may start has no container. */
  boolean lacksContainers() {
    return phase == Phase.BACKING_OFF
        || (phase != Phase.STOPPING && tasks().count(TaskState.REQUESTED) > 0);
  }

  /** True for a task that starts as soon as it is registered. */
  boolean waitsForNobody(Task task) {
    return job.mode() == DistributedMode.FCFS || task.alone();
  }

  RoleSpec role(Task task) {
    return job.role(task.id().role());
  }

  private static Set<String> and(Set<String> set, String more) {
    Set<String> all = new HashSet<>(set);
    all.add(more);
    return all;
  }
}
