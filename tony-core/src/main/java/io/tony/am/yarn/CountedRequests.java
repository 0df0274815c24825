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
 * Requests containers by their number: the scheduler keeps one counter per role, whatever the
 * number of tasks.
 *
 * <p>YARN decrements the counter with each container it grants. Its client must be notified of the
 * grant, too, and then sends the rest as a new total; this total requests again whatever YARN
 * granted in the meantime (YARN-1902). Therefore the client is notified only together with the next
 * change; or when nothing is left, because zero requests nothing; or before a new ResourceManager
 * is asked, which has granted nothing yet.
 */
final class CountedRequests implements RoleContainerRequests {
  private RoleSpec role;
  private final Priority priority;
  private final AMRMClient<ContainerRequest> client;
  private final Deque<ContainerRequest> pending = new ArrayDeque<>();

  /** Granted requests of which YARN's client has not been notified. */
  private final Deque<ContainerRequest> granted = new ArrayDeque<>();

  /**
   * Used as allocation request ID and incremented with each new container size: YARN's scheduler
   * knows one size per priority and ID.
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
      return; // a new total would request again what is being granted
    }
    removeGranted();
    for (int i = 0; i < count && !pending.isEmpty(); i++) {
      client.removeContainerRequest(pending.remove());
    }
  }

  /**
   * Ignores a container that was granted before the role's memory grew: no pending request is for
   * that size.
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

  /** Does nothing: YARN rejects only scheduling requests; for others it throws an exception. */
  @Override
  public void onRejected(RejectedSchedulingRequest request) {}
}
