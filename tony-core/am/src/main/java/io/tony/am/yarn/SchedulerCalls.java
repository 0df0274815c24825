package io.tony.am.yarn;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.yarn.api.ApplicationMasterProtocol;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.records.SchedulingRequest;
import org.apache.hadoop.yarn.exceptions.ApplicationMasterNotRegisteredException;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * Intercepts the calls of YARN's client library to the ResourceManager.
 *
 * <p>After a restart or failover, the ResourceManager has lost all container requests. YARN's
 * client library then registers again and sends all requests that it remembers again; this class
 * runs {@code onResync} before that.
 *
 * <p>This class also adds the scheduling requests to the calls. YARN's client library would
 * remember each of them until a container is granted, even if the request was rejected or withdrawn
 * (Hadoop 3.3 to 3.5). Not thread-safe.
 */
final class SchedulerCalls implements ApplicationMasterProtocol, Closeable {
  private final ApplicationMasterProtocol scheduler;
  private final Runnable onResync;

  /** Scheduling requests to send with the next call, by priority and allocation request ID. */
  private final Map<List<Long>, SchedulingRequest> unsent = new LinkedHashMap<>();

  /**
   * {@code scheduler} gets the calls. {@code onResync} runs before YARN's client library repeats
   * the requests that it remembers.
   */
  SchedulerCalls(ApplicationMasterProtocol scheduler, Runnable onResync) {
    this.scheduler = scheduler;
    this.onResync = onResync;
  }

  /**
   * Adds a scheduling request to the next call. Replaces a request with the same priority and ID
   * that has not been sent yet.
   */
  void add(SchedulingRequest request) {
    long priority = request.getPriority().getPriority();
    unsent.put(List.of(priority, request.getAllocationRequestId()), request);
  }

  @Override
  public RegisterApplicationMasterResponse registerApplicationMaster(
      RegisterApplicationMasterRequest request) throws YarnException, IOException {
    return scheduler.registerApplicationMaster(request);
  }

  @Override
  public AllocateResponse allocate(AllocateRequest request) throws YarnException, IOException {
    request.setSchedulingRequests(new ArrayList<>(unsent.values()));
    try {
      AllocateResponse response = scheduler.allocate(request);
      unsent.clear();
      return response;
    } catch (ApplicationMasterNotRegisteredException e) {
      unsent.clear();
      onResync.run();
      throw e;
    }
  }

  @Override
  public FinishApplicationMasterResponse finishApplicationMaster(
      FinishApplicationMasterRequest request) throws YarnException, IOException {
    return scheduler.finishApplicationMaster(request);
  }

  @Override
  public void close() {
    RPC.stopProxy(scheduler);
  }
}
