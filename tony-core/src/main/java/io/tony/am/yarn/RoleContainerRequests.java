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
 * Pending container requests of one role. YARN has two forms of requests: numbers per priority, and
 * scheduling requests, which are needed for constraints and tags. In either form the role's
 * priority maps an allocated container back to the role. Not thread-safe.
 */
interface RoleContainerRequests {
  /**
   * Creates the requests of all roles, in the job's order, with the priorities 1, 2, and so on. All
   * roles use the same form: if a call has both, the CapacityScheduler handles the numbers and
   * ignores the scheduling requests (CapacityScheduler#allocate of 3.4.2 joins its two updates by
   * {@code ||}).
   *
   * @param applicationLabel node label for requests of roles without a label; empty for none
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

  /** Returns the number of containers that are requested and not granted yet. */
  int pendingCount();

  /**
   * Requests {@code count} more containers of this size; first withdraws all pending ones if the
   * size has changed.
   */
  void add(RoleSpec updatedRole, int count);

  /** Withdraws {@code count} requests, or all if there are fewer. */
  void withdraw(int count);

  /** Notes that a container was granted to this role, whether or not it was still requested. */
  void onAllocated(Container container);

  /**
   * Called when a new ResourceManager knows no requests, before YARN's client repeats all that it
   * remembers, which must be exactly the pending ones.
   */
  void onResync();

  /**
   * Handles a scheduling request that YARN rejected; does nothing if it is not pending any more.
   */
  void onRejected(RejectedSchedulingRequest request);
}
