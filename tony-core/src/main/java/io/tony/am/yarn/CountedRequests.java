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
 * Asks for containers by their number: the scheduler keeps one queue for the role, however many
 * tasks it has.
 *
 * <p>YARN counts down by itself with each container that it grants. Its client also has to be told,
 * and sends what is left as a new total, which asks once more for whatever was granted meanwhile
 * (YARN-1902). So it is told with the next change only, or when nothing is left: zero asks for
 * nothing; or when another ResourceManager is to be asked, which has granted nothing yet.
 */
final class CountedRequests implements RoleContainerRequests {
  private RoleSpec role;
  private final Priority priority;
  private final AMRMClient<ContainerRequest> client;
  private final Deque<ContainerRequest> pending = new ArrayDeque<>();

  /** Those that YARN's client has not been told of. */
  private final Deque<ContainerRequest> granted = new ArrayDeque<>();

  /** Counts the sizes: YARN's scheduler knows one size for a priority and such a number. */
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
  public int pending() {
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
      return; // a new total would ask once more for what is granted just now
    }
    removeGranted();
    for (int i = 0; i < count && !pending.isEmpty(); i++) {
      client.removeContainerRequest(pending.remove());
    }
  }

  /** One that was granted before the role grew serves nothing that is asked for now. */
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

  /** YARN rejects scheduling requests only, and refuses others with an exception. */
  @Override
  public void onRejected(RejectedSchedulingRequest request) {}
}
