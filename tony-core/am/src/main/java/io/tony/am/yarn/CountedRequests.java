package io.tony.am.yarn;

import io.tony.container.YarnResources;
import io.tony.model.RoleSpec;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.RejectedSchedulingRequest;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;

/**
 * Requests containers by their number: YARN's scheduler keeps one counter per role, whatever the
 * number of tasks.
 *
 * <p>YARN decrements the counter with each container it grants. Its client library must be notified
 * of the grant as well, and then sends the number of remaining requests as the new value of the
 * counter. This repeats the requests that YARN has granted in the meantime (YARN-1902). Therefore
 * this class notifies the client library only in three cases: together with the next change; when
 * no request remains, because zero requests nothing; and before a new ResourceManager is called,
 * which has granted nothing yet.
 */
final class CountedRequests implements RoleContainerRequests {
  private RoleSpec role;
  private final Priority priority;
  private final AMRMClient<ContainerRequest> client;
  private final Deque<ContainerRequest> pending = new ArrayDeque<>();

  /** Granted requests of which YARN's client library has not been notified. */
  private final Deque<ContainerRequest> granted = new ArrayDeque<>();

  /**
   * Allocation request ID of the role's requests. Incremented with each new container size, because
   * YARN's scheduler allows only one size per priority and ID.
   */
  private long sizeVersion;

  CountedRequests(RoleSpec role, Priority priority, AMRMClient<ContainerRequest> client) {
    this.role = role;
    this.priority = priority;
    this.client = client;
  }

  @Override
  public RoleSpec role() {
    return role;
  }

  @Override
  public int pendingCount() {
    return pending.size();
  }

  @Override
  public void add(RoleSpec updatedRole, int count) {
    removeGranted();
    if (!updatedRole.resource().equals(role.resource())) {
      withdraw(pending.size());
      sizeVersion++;
    }
    role = updatedRole;
    String label = role.placement().nodeLabel();
    for (int i = 0; i < count; i++) {
      ContainerRequest request =
          ContainerRequest.newBuilder()
              .capability(YarnResources.of(role.resource()))
              .priority(priority)
              .allocationRequestId(sizeVersion)
              .nodeLabelsExpression(label.isEmpty() ? null : label)
              .build();
      pending.add(request);
      client.addContainerRequest(request);
    }
  }

  @Override
  public void withdraw(int count) {
    if (count == 0) {
      // Do not send a new total: it would repeat the requests that YARN is just granting.
      return;
    }
    removeGranted();
    for (int i = 0; i < count && !pending.isEmpty(); i++) {
      client.removeContainerRequest(pending.remove());
    }
  }

  /**
   * Ignores a container that is smaller than requested now: it was granted before the role's memory
   * grew, and no pending request is for its size.
   */
  @Override
  public void onAllocated(Container container) {
    boolean largeEnough = container.getResource().getMemorySize() >= role.resource().memoryMiB();
    if (largeEnough && !pending.isEmpty()) {
      granted.add(pending.remove());
      if (pending.isEmpty()) {
        removeGranted();
      }
    }
  }

  @Override
  public void onResync() {
    removeGranted();
  }

  private void removeGranted() {
    granted.forEach(client::removeContainerRequest);
    granted.clear();
  }

  /**
   * Does nothing, because YARN rejects only scheduling requests in this way. Instead of rejecting a
   * request of this class, YARN throws an exception.
   */
  @Override
  public void onRejected(RejectedSchedulingRequest request) {}
}
