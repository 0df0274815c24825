package io.tony.am.yarn;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.apache.hadoop.yarn.api.ApplicationMasterProtocol;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.RejectedSchedulingRequest;
import org.apache.hadoop.yarn.api.records.RejectionReason;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.api.records.SchedulingRequest;
import org.apache.hadoop.yarn.exceptions.ApplicationMasterNotRegisteredException;
import org.apache.hadoop.yarn.util.Records;

/**
 * YARN's own client, and a small ResourceManager that it talks to. What is asked for by number is a
 * total for each size, which a grant lowers; a scheduling request is for what its number says. It
 * grants and rejects while nobody calls it, and tells with the next call. When it restarts, it
 * knows nothing of all that.
 */
final class GrantingYarn extends SchedulerClient implements ApplicationMasterProtocol {
  static final Priority PRIORITY = Priority.newInstance(1);

  /** By the number that goes with a size. */
  private final Map<Long, ResourceRequest> totals = new TreeMap<>();

  private final Map<Long, SchedulingRequest> requests = new TreeMap<>();
  private final Set<String> blacklist = new ConcurrentSkipListSet<>();
  private final List<Container> granted = new ArrayList<>();
  private final List<RejectedSchedulingRequest> rejected = new ArrayList<>();
  private boolean registered;
  private int containers;
  private int sent;

  @Override
  protected void serviceStart() {
    setScheduler(this);
  }

  @Override
  protected void serviceStop() {}

  // ---- The ResourceManager ----

  /** The heartbeat of a node with room for so many. */
  void grant(int count, Resource size) {
    int room = count;
    for (ResourceRequest total : totals.values()) {
      while (room > 0 && total.getCapability().equals(size) && total.getNumContainers() > 0) {
        total.setNumContainers(total.getNumContainers() - 1);
        granted.add(container(size, total.getAllocationRequestId()));
        room--;
      }
    }
  }

  /** The same for a scheduling request. */
  void grant(long number) {
    SchedulingRequest request = requests.remove(number);
    if (request != null) {
      granted.add(container(request.getResourceSizing().getResources(), number));
    }
  }

  /** The nodes are busy. */
  void reject(long number) {
    SchedulingRequest request = requests.remove(number);
    if (request != null) {
      rejected.add(
          RejectedSchedulingRequest.newInstance(RejectionReason.COULD_NOT_PLACE_ON_NODE, request));
    }
  }

  private Container container(Resource size, long number) {
    containers++;
    Container container =
        Container.newInstance(
            ContainerId.fromString(
                "container_1700000000000_0001_01_" + String.format("%06d", containers)),
            NodeId.newInstance("node", 1),
            "node:2",
            size,
            PRIORITY,
            null);
    container.setAllocationRequestId(number);
    return container;
  }

  /** What it was about to tell is lost, too. */
  void restart() {
    registered = false;
    totals.clear();
    requests.clear();
    blacklist.clear();
    granted.clear();
    rejected.clear();
  }

  /** How many containers of this size it is to grant yet. */
  int open(Resource size) {
    int open = 0;
    for (ResourceRequest total : totals.values()) {
      open += total.getCapability().equals(size) ? total.getNumContainers() : 0;
    }
    for (SchedulingRequest request : requests.values()) {
      open += request.getResourceSizing().getResources().equals(size) ? 1 : 0;
    }
    return open;
  }

  /** Of all sizes. */
  int open() {
    return totals.values().stream().mapToInt(ResourceRequest::getNumContainers).sum()
        + requests.size();
  }

  /** The scheduling requests that it has not served. */
  List<Long> numbers() {
    return List.copyOf(requests.keySet());
  }

  /** Another attempt of the application finds it as the one before has left it. */
  Set<String> blacklist() {
    return blacklist;
  }

  /** How many it has granted. */
  int containers() {
    return containers;
  }

  /** How many scheduling requests came with the last call. */
  int sent() {
    return sent;
  }

  @Override
  public AllocateResponse allocate(AllocateRequest request)
      throws ApplicationMasterNotRegisteredException {
    if (!registered) {
      throw new ApplicationMasterNotRegisteredException("it has restarted");
    }
    for (ResourceRequest ask : request.getAskList()) {
      totals.put(ask.getAllocationRequestId(), ResourceRequest.clone(ask));
    }
    sent = request.getSchedulingRequests().size();
    for (SchedulingRequest asked : request.getSchedulingRequests()) {
      if (asked.getResourceSizing().getNumAllocations() == 0) {
        requests.remove(asked.getAllocationRequestId());
      } else {
        requests.put(asked.getAllocationRequestId(), asked);
      }
    }
    if (request.getResourceBlacklistRequest() != null) {
      blacklist.addAll(request.getResourceBlacklistRequest().getBlacklistAdditions());
      blacklist.removeAll(request.getResourceBlacklistRequest().getBlacklistRemovals());
    }
    AllocateResponse response =
        AllocateResponse.newBuilder()
            .allocatedContainers(List.copyOf(granted))
            .completedContainersStatuses(List.of())
            .nmTokens(List.of())
            .build();
    response.setRejectedSchedulingRequests(List.copyOf(rejected));
    granted.clear();
    rejected.clear();
    return response;
  }

  @Override
  public RegisterApplicationMasterResponse registerApplicationMaster(
      RegisterApplicationMasterRequest request) {
    registered = true;
    RegisterApplicationMasterResponse response =
        Records.newRecord(RegisterApplicationMasterResponse.class);
    response.setMaximumResourceCapability(Resource.newInstance(8192, 8));
    response.setContainersFromPreviousAttempts(List.of());
    response.setNMTokensFromPreviousAttempts(List.of());
    return response;
  }

  @Override
  public FinishApplicationMasterResponse finishApplicationMaster(
      FinishApplicationMasterRequest request) {
    throw new AssertionError("is not tested here");
  }
}
