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
 * The tasks that compute together, as a framework is to see them. Ranks are those of the cluster,
 * not of the whole job: with {@code depends-on} or stages, roles that ended before are not in it.
 *
 * <p>One object stands for the gang of all its tasks, and what follows from it for all of them is
 * made {@link #once}.
 */
public final class Gang {
  private final JobSpec job;
  private final ClusterSpec cluster;
  private final int session;
  private final Optional<StoreAddress> store;

  /** The same for each task; guarded by itself. */
  private final Map<String, Object> shared = new HashMap<>();

  /**
   * What a gang is made of.
   *
   * @param cluster who can be reached where; first come, first served it holds one task only
   * @param session attempt of the gang, counted from 0
   * @param store where the tasks can meet, for runtimes that ask for one
   */
  public Gang(JobSpec job, ClusterSpec cluster, int session, Optional<StoreAddress> store) {
    this.job = job;
    this.cluster = cluster;
    this.session = session;
    this.store = store;
  }

  /** A gang without a store. */
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
   * What is the same for all tasks of this gang, or for many: made for the first of them, and kept
   * as long as the gang. A runtime is called for each task, so whatever it makes of all tasks for
   * each of them grows with the square of the gang.
   *
   * @param name says what it is; the same name always stands for the same value. Begin it with the
   *     name of the framework
   * @param supplier computes it from this gang alone; not null
   */
  @SuppressWarnings("unchecked") // a name has one type
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
   * One number per tracked task of the cluster, from 0, for frameworks that know no roles: the
   * position in this list. The chief's role comes first, then the others as declared. It is empty
   * first come, first served: tasks that do not wait for each other form no group.
   */
  public List<TaskId> ranked() {
    return once(
        "ranked", () -> rankedRoles().stream().flatMap(role -> members(role).stream()).toList());
  }

  /** The task's place in {@link #ranked}, without making the list; -1 when it has none. */
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

  /** How many tasks have a rank. */
  public int world() {
    return rankedRoles().stream().mapToInt(this::size).sum();
  }

  /** With how few ranks the gang goes on. */
  int minWorld() {
    return rankedRoles().stream()
        .mapToInt(role -> size(role) == 0 ? 0 : job.role(role).minInstances())
        .sum();
  }

  /** How many ranks it would rather have. */
  int maxWorld() {
    return rankedRoles().stream()
        .mapToInt(role -> size(role) == 0 ? 0 : job.role(role).maxInstances())
        .sum();
  }

  /**
   * The task of rank 0.
   *
   * @throws NoSuchElementException when no task has a rank
   */
  public TaskId first() {
    String role = rankedRoles().stream().filter(name -> size(name) > 0).findFirst().orElseThrow();
    return new TaskId(role, 0);
  }

  /** The roles whose tasks have ranks, in their order. */
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

  /** How many tasks of one role are in the cluster. */
  int size(String role) {
    return cluster.endpoints().getOrDefault(role, List.of()).size();
  }

  /** The tasks of one role that are in the cluster, by index; none when the role is not. */
  public List<TaskId> members(String role) {
    return IntStream.range(0, size(role)).mapToObj(index -> new TaskId(role, index)).toList();
  }

  public Endpoint endpoint(TaskId task) {
    return cluster.of(task);
  }

  /** The address of the store that the runtime asked for. */
  public StoreAddress storeAddress() {
    return store.orElseThrow(
        () -> new IllegalStateException("no store was started for " + job.framework()));
  }

  /** What a framework with ranks says of a job whose first task would have none. */
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
