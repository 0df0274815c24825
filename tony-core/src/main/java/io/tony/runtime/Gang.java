package io.tony.runtime;

import io.tony.model.ClusterSpec;
import io.tony.model.DistributedMode;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The tasks that compute together, as a framework is to see them. Ranks are those of the cluster,
 * not of the whole job: with {@code depends-on} or stages, roles that ended before are not in it.
 *
 * @param cluster who can be reached where; first come, first served it holds one task only
 * @param session attempt of the gang, counted from 0
 * @param store where the tasks can meet, for runtimes that ask for one
 */
public record Gang(JobSpec job, ClusterSpec cluster, int session, Optional<StoreAddress> store) {

  /** A gang without a store. */
  public Gang(JobSpec job, ClusterSpec cluster, int session) {
    this(job, cluster, session, Optional.empty());
  }

  /**
   * One number per tracked task of the cluster, from 0, for frameworks that know no roles: the
   * position in this list. The chief's role comes first, then the others as declared. It is empty
   * first come, first served: tasks that do not wait for each other form no group.
   */
  public List<TaskId> ranked() {
    return rankedRoles().stream().flatMap(role -> members(role).stream()).toList();
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

  private int size(String role) {
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
  static List<String> problemsOfFirstTask(String framework, JobSpec job) {
    return job.role(job.chief().role()).supervision() == Supervision.TRACKED
        ? List.of()
        : List.of(
            framework
                + " needs a tracked task as its master, but "
                + job.chief().role()
                + " is not tracked: take it off tony.application.untracked.jobtypes and"
                + " tony.application.sidecar.jobtypes");
  }
}
