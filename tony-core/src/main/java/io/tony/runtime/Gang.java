package io.tony.runtime;

import io.tony.model.ClusterSpec;
import io.tony.model.DistributedMode;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.ArrayList;
import java.util.List;
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
    if (job.mode() == DistributedMode.FCFS) {
      return List.of();
    }
    String chief = job.chief().role();
    Stream<String> others =
        job.roles().stream().map(RoleSpec::name).filter(role -> !role.equals(chief));
    List<TaskId> ranked = new ArrayList<>();
    Stream.concat(Stream.of(chief), others)
        .filter(role -> job.role(role).supervision() == Supervision.TRACKED)
        .forEach(role -> ranked.addAll(members(role)));
    return List.copyOf(ranked);
  }

  /** The tasks of one role that are in the cluster, by index; none when the role is not. */
  public List<TaskId> members(String role) {
    int size = cluster.endpoints().getOrDefault(role, List.of()).size();
    return IntStream.range(0, size).mapToObj(index -> new TaskId(role, index)).toList();
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
