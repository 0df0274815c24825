package io.tony.am.yarn;

import io.tony.container.PlacementSpec;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.RejectedSchedulingRequest;

/**
 * The containers that one role still waits for. YARN has two forms of asking: by numbers per
 * priority, and, where constraints and tags are to count, by scheduling requests. The role's
 * priority maps what is allocated in either form back to it. For one thread.
 */
interface RoleContainerRequests {
  /**
   * In the order of the job's roles, with the priorities 1, 2, and so on. All in one form: of a
   * call that holds both, the CapacityScheduler takes the numbers and forgets the scheduling
   * requests (CapacityScheduler#allocate of 3.4.2 joins its two updates by {@code ||}).
   *
   * @param applicationLabel node label of what is asked for without one; empty for none
   */
  static List<RoleContainerRequests> of(
      JobSpec job, String applicationLabel, SchedulerClient client) {
    boolean unconstrained =
        job.roles().stream()
            .map(RoleSpec::placement)
            .allMatch(place -> place.constraint().isEmpty() && place.tags().isEmpty());
    List<RoleContainerRequests> requests = new ArrayList<>();
    for (RoleSpec role : job.roles()) {
      Priority priority = Priority.newInstance(requests.size() + 1);
      requests.add(
          unconstrained
              ? new CountedRequests(role, priority, client)
              : new ConstrainedRequests(
                  role, priority, PlacementSpec.of(role.placement(), applicationLabel), client));
    }
    return requests;
  }

  RoleSpec role();

  /** How many containers are asked for and not yet there. */
  int pending();

  /** Asks as the role now is: where it has grown, nothing that is pending is wanted any more. */
  void add(RoleSpec updatedRole, int count);

  /** Takes back so many, or all when there are fewer. */
  void withdraw(int count);

  /** Notes that a container came for this role, whether or not it was still asked for. */
  void onAllocated(Container container);

  /**
   * The ResourceManager knows nothing of what was asked for. YARN's client is about to ask for all
   * that it remembers, which must be what is pending.
   */
  void onResync();

  /** YARN's scheduler gave a request back; does nothing when it is not wanted any more. */
  void onRejected(RejectedSchedulingRequest request);
}
