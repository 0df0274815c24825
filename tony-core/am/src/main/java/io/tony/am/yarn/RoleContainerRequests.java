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
 * scheduling requests, which are needed for placement constraints and tags. In both forms, the
 * role's priority shows to which role an allocated container belongs. Not thread-safe.
 */
interface RoleContainerRequests {
  /**
   * Creates the requests of all roles, in the job's order, with the priorities 1, 2, and so on. All
   * roles use the same form of requests, because the CapacityScheduler ignores the scheduling
   * requests of a call that also contains numbers (in Hadoop 3.4.2, CapacityScheduler#allocate
   * joins its two updates by {@code ||}).
   *
   * @param applicationLabel node label for roles without a label of their own; empty for none
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

  /** Returns the number of requested containers that have not been granted yet. */
  int pendingCount();

  /**
   * Requests {@code count} more containers of the role's size. If the size has changed, first
   * withdraws all pending requests.
   */
  void add(RoleSpec updatedRole, int count);

  /** Withdraws {@code count} pending requests; all if there are fewer. */
  void withdraw(int count);

  /** Records that YARN has granted this role a container, which may not be requested any more. */
  void onAllocated(Container container);

  /**
   * Called when a new ResourceManager has none of the requests, before YARN's client library sends
   * again all requests that it remembers. After this call, exactly the pending requests must be
   * sent.
   */
  void onResync();

  /**
   * Handles YARN's rejection of a scheduling request; does nothing if that request is not pending
   * any more.
   */
  void onRejected(RejectedSchedulingRequest request);
}
