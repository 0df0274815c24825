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
 * The tasks that compute together, as a framework sees them. Ranks count the tasks of the cluster,
 * not of the whole job: with {@code depends-on} or stages, roles that have already ended are not
 * included.
 *
 * <p>All tasks of a gang share one object. Values derived from all tasks are computed {@link
 * #once}. Thread-safe.
 */
public final class Gang {
  private final JobSpec job;
  private final ClusterSpec cluster;
  private final int session;
  private final Optional<StoreAddress> store;

  /** Values that {@link #once} has computed, by name; guarded by itself. */
  private final Map<String, Object> shared = new HashMap<>();

  /**
   * Creates a gang.
   *
   * @param job the job; its elastic roles have the gang's number of tasks
   * @param cluster endpoints of the gang's tasks; in FCFS mode, of one task only
   * @param session attempt of the gang, counted from 0
   * @param store address of the store at which the tasks meet; empty if the runtime needs none
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
   * Returns a value that is equal for all tasks of this gang, or for many of them. The first call
   * with a name computes the value; later calls return the same object. A runtime is called for
   * each task, so without this method the work for a value derived from all tasks grows with the
   * square of the gang's size.
   *
   * @param name identifies the value within this gang; begins with the name of the framework
   * @param supplier computes the value from this gang alone; must not return null
   */
  @SuppressWarnings("unchecked") // callers use one type per name
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
   * Returns the tracked tasks of the cluster in the order of their ranks, for frameworks that know
   * no roles: a task's rank is its position, from 0. The chief's role comes first, the others
   * follow as declared. Empty in FCFS mode, in which tasks form no group.
   */
  public List<TaskId> ranked() {
    return once(
        "ranked", () -> rankedRoles().stream().flatMap(role -> members(role).stream()).toList());
  }

  /**
   * Returns the task's position in {@link #ranked}, without creating the list; -1 if the task has
   * no rank.
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

  /** Number of tasks with a rank. */
  public int world() {
    return rankedRoles().stream().mapToInt(this::size).sum();
  }

  /** Minimum number of ranks with which the gang runs. */
  int minWorld() {
    return rankedRoles().stream()
        .mapToInt(role -> size(role) == 0 ? 0 : job.role(role).minInstances())
        .sum();
  }

  /** Preferred number of ranks. */
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

  /** Roles whose tasks have ranks, in the order of the ranks. */
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

  /** Number of tasks of one role in the cluster; 0 if the role is not in the cluster. */
  int size(String role) {
    return cluster.endpoints().getOrDefault(role, List.of()).size();
  }

  /** Tasks of one role in the cluster, by index; empty if the role is not in the cluster. */
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
   * Returns the problem of a job whose leading task is not tracked and so has no rank; else empty.
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
