package io.tony.runtime;

import io.tony.model.ClusterSpec;
import io.tony.model.DistributedMode;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The tasks that compute together, for a {@link FrameworkRuntime}. Ranks and counts refer to the
 * tasks that run at the same time, not to the whole job: roles that have already ended ({@code
 * depends-on}, stages) are not included.
 *
 * <p>All tasks of a gang share one object. Thread-safe.
 */
public final class Gang {
  private final JobSpec job;
  private final ClusterSpec cluster;
  private final int session;
  private final Optional<StoreAddress> store;

  /** Values computed by {@link #once}, by name; the map is its own lock. */
  private final Map<String, Object> shared = new HashMap<>();

  /**
   * Creates a gang.
   *
   * @param job the job; the number of tasks of its elastic roles is the gang's
   * @param cluster endpoints of the gang's tasks; of a single task in FCFS mode
   * @param session number of the gang's start, from 0
   * @param store address of the store of {@link FrameworkRuntime#store}; empty if the runtime needs
   *     none
   */
  public Gang(JobSpec job, ClusterSpec cluster, int session, Optional<StoreAddress> store) {
    this.job = job;
    this.cluster = cluster;
    this.session = session;
    this.store = store;
  }

  /** Creates a gang without a store. */
  public Gang(JobSpec job, ClusterSpec cluster, int session) {
    this(job, cluster, session, Optional.empty());
  }

  public JobSpec job() {
    return job;
  }

  public ClusterSpec cluster() {
    return cluster;
  }

  public int session() {
    return session;
  }

  public Optional<StoreAddress> store() {
    return store;
  }

  /**
   * Returns a value that many tasks of this gang share. Computes the value at the first call with
   * this name; later calls return the same object. A runtime is called once for each task: if every
   * call computed a value from all tasks, the work would grow with the square of their number.
   *
   * @param name identifies the value within this gang; begins with the name of the framework
   * @param supplier computes the value from this gang only; must not return null
   */
  @SuppressWarnings("unchecked") // each name is used with one type
  public <T> T once(String name, Supplier<T> supplier) {
    synchronized (shared) {
      Object value = shared.get(name);
      if (value == null) {
        value = supplier.get();
        shared.put(name, value);
      }
      return (T) value;
    }
  }

  /**
   * Returns the tracked tasks in the order of their ranks, for frameworks without roles: a task's
   * rank is its index in this list. The chief's role comes first, the other roles in the order of
   * their declaration. Empty in FCFS mode, in which tasks form no group.
   */
  public List<TaskId> ranked() {
    return once(
        "ranked", () -> rankedRoles().stream().flatMap(role -> members(role).stream()).toList());
  }

  /**
   * Returns the task's rank, which is its index in {@link #ranked}; -1 if the task has none. Faster
   * than {@code ranked().indexOf(task)}.
   */
  public int rank(TaskId task) {
    int before = 0;
    for (String role : rankedRoles()) {
      if (role.equals(task.role())) {
        return task.index() < size(role) ? before + task.index() : -1;
      }
      before += size(role);
    }
    return -1;
  }

  /** Returns the number of tasks with a rank. */
  public int world() {
    return rankedRoles().stream().mapToInt(this::size).sum();
  }

  /**
   * Returns the minimum number of tasks with a rank; smaller than {@link #world} only in an elastic
   * gang.
   */
  int minWorld() {
    return rankedRoles().stream()
        .mapToInt(role -> size(role) == 0 ? 0 : job.role(role).minInstances())
        .sum();
  }

  /** Returns the preferred number of tasks with a rank. */
  int maxWorld() {
    return rankedRoles().stream()
        .mapToInt(role -> size(role) == 0 ? 0 : job.role(role).maxInstances())
        .sum();
  }

  /**
   * Returns the task with rank 0.
   *
   * @throws NoSuchElementException if no task has a rank
   */
  public TaskId first() {
    String role = rankedRoles().stream().filter(name -> size(name) > 0).findFirst().orElseThrow();
    return new TaskId(role, 0);
  }

  /** Returns the roles whose tasks have a rank, in the order of the ranks. */
  private List<String> rankedRoles() {
    if (job.mode() == DistributedMode.FCFS) {
      return List.of();
    }
    String chief = job.chief().role();
    Stream<String> others =
        job.roles().stream().map(RoleSpec::name).filter(role -> !role.equals(chief));
    return Stream.concat(Stream.of(chief), others)
        .filter(role -> job.role(role).supervision() == Supervision.TRACKED)
        .toList();
  }

  /**
   * Returns the number of tasks of one role in the cluster; 0 if the role is not in the cluster.
   */
  int size(String role) {
    return cluster.endpoints().getOrDefault(role, List.of()).size();
  }

  /**
   * Returns the tasks of one role in the cluster, by index; empty if the role is not in the
   * cluster.
   */
  public List<TaskId> members(String role) {
    return IntStream.range(0, size(role)).mapToObj(index -> new TaskId(role, index)).toList();
  }

  public Endpoint endpoint(TaskId task) {
    return cluster.of(task);
  }

  /**
   * Returns the address of the store that {@link FrameworkRuntime#store} asked for.
   *
   * @throws IllegalStateException if this gang has no store
   */
  public StoreAddress storeAddress() {
    return store.orElseThrow(
        () -> new IllegalStateException("no store was started for " + job.framework()));
  }

  /**
   * Returns one sentence for the user if the job's chief ({@link JobSpec#chief}) has no rank
   * because the job does not wait for it; else an empty list.
   */
  static List<String> firstTaskProblems(String framework, JobSpec job) {
    return job.role(job.chief().role()).supervision() == Supervision.TRACKED
        ? List.of()
        : List.of(
            framework
                + " needs a tracked task as its master, but "
                + job.chief().role()
                + " is not tracked: take it off tony.application.untracked.roles and"
                + " tony.application.sidecar.roles");
  }
}
