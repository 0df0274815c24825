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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests each container by its own scheduling request, with its own ID, which YARN also sets in
 * the allocated container. A count of zero withdraws a request.
 *
 * <p>Only so, the two components of YARN that can handle scheduling requests behave alike (an
 * ApplicationMaster cannot see which one is active): after a second request with the same ID, the
 * scheduler's own handler replaces the first request, and the placement processor adds to it. This
 * also avoids the race of YARN-1902, because the ID of a withdrawn or granted request is never used
 * again.
 */
final class ConstrainedRequests implements RoleContainerRequests {
  private static final Logger LOG = LoggerFactory.getLogger(ConstrainedRequests.class);

  private RoleSpec role;
  private final Priority priority;
  private final Set<String> tags;
  private final @Nullable PlacementConstraint constraint; // null for none
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
    // Without its own tag, a request could not be placed by the placement processor.
    this.tags = role.placement().tags().isEmpty() ? Set.of(role.name()) : role.placement().tags();
    this.constraint = constraint.orElse(null);
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
   * Repeats a rejected request. The ID can be used again, because no container will come for the
   * rejected request. The placement processor rejects a request after a few heartbeats even if the
   * nodes are only busy, but the job decides how long to wait for busy nodes.
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
