package io.tony.am.yarn;

import io.tony.container.YarnResources;
import io.tony.model.RoleSpec;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ExecutionType;
import org.apache.hadoop.yarn.api.records.ExecutionTypeRequest;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.RejectedSchedulingRequest;
import org.apache.hadoop.yarn.api.records.ResourceSizing;
import org.apache.hadoop.yarn.api.records.SchedulingRequest;
import org.apache.hadoop.yarn.api.resource.PlacementConstraint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for each container by a scheduling request of its own, with a number that comes back with
 * the container. YARN has two handlers of such requests, and an ApplicationMaster is not told which
 * one works: the scheduler's takes a second request of one number as a correction of the first, the
 * placement processor as more of the same. With one container to a number, and zero to take it
 * back, both do what is meant. It also keeps the race of YARN-1902 away: a number that was
 * withdrawn or served is never asked for again.
 */
final class ConstrainedRequests implements RoleContainerRequests {
  private static final Logger LOG = LoggerFactory.getLogger(ConstrainedRequests.class);

  private RoleSpec role;
  private final Priority priority;
  private final Set<String> tags;
  private final PlacementConstraint constraint;
  private final SchedulerClient client;
  private final Deque<Long> pending = new ArrayDeque<>();
  private long lastId;
  private boolean rejectionLogged;

  ConstrainedRequests(
      RoleSpec role,
      Priority priority,
      Optional<PlacementConstraint> constraint,
      SchedulerClient client) {
    this.role = role;
    this.priority = priority;
    // The placement processor cannot place what has no tag.
    this.tags = role.placement().tags().isEmpty() ? Set.of(role.name()) : role.placement().tags();
    this.constraint = constraint.orElse(null);
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
    if (!updatedRole.resource().equals(role.resource())) {
      withdraw(pending.size());
    }
    role = updatedRole;
    for (int i = 0; i < count; i++) {
      lastId++;
      pending.add(lastId);
      send(lastId, 1);
    }
  }

  @Override
  public void withdraw(int count) {
    for (int i = 0; i < count && !pending.isEmpty(); i++) {
      send(pending.remove(), 0);
    }
  }

  @Override
  public void onAllocated(Container container) {
    pending.remove(container.getAllocationRequestId());
  }

  @Override
  public void onResync() {
    pending.forEach(id -> send(id, 1));
  }

  /**
   * The placement processor gives up after a few heartbeats, also when the nodes are merely busy.
   * How long a job waits for busy nodes is the job's to decide: it asks again, under the number
   * that nothing will come for any more.
   */
  @Override
  public void onRejected(RejectedSchedulingRequest rejected) {
    long id = rejected.getRequest().getAllocationRequestId();
    if (pending.contains(id)) {
      if (!rejectionLogged) {
        LOG.warn("YARN finds no node for {} now ({}), and is asked again", role.name(), rejected);
        rejectionLogged = true;
      }
      send(id, 1);
    }
  }

  private void send(long id, int count) {
    client.addSchedulingRequests(
        List.of(
            SchedulingRequest.newBuilder()
                .allocationRequestId(id)
                .priority(priority)
                .executionType(ExecutionTypeRequest.newInstance(ExecutionType.GUARANTEED, true))
                .allocationTags(tags)
                .resourceSizing(
                    ResourceSizing.newInstance(count, YarnResources.of(role.resource())))
                .placementConstraintExpression(constraint)
                .build()));
  }
}
