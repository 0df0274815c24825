package io.tony.am.yarn;

import io.tony.container.PlacementSpec;
import io.tony.model.RoleSpec;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.RejectedSchedulingRequest;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;

/**
 * The containers that YARN owes to one role. YARN has two forms of asking: by numbers per priority,
 * and, where constraints and tags are to count, by scheduling requests. The role's priority maps
 * what is allocated in either form back to it. For one thread.
 */
interface RoleAsks {
  /** The form that the role's placement needs. */
  static RoleAsks of(
      RoleSpec role, String applicationLabel, int priority, AMRMClient<ContainerRequest> client) {
    boolean anywhere = role.placement().constraint().isEmpty() && role.placement().tags().isEmpty();
    return anywhere
        ? new CountedAsks(role, Priority.newInstance(priority), client)
        : new ConstrainedAsks(
            role,
            Priority.newInstance(priority),
            PlacementSpec.of(role.placement(), applicationLabel),
            client);
  }

  RoleSpec role();

  /** How many containers are asked for and not yet there. */
  int owed();

  void add(int count);

  /** Takes back so many, or all when there are fewer. */
  void withdraw(int count);

  /** Notes that a container came for this role, whether or not it was still asked for. */
  void allocated(Container container);

  /** YARN's scheduler gave a request back; does nothing when it is not wanted any more. */
  void rejected(RejectedSchedulingRequest request);
}
