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
 * The calls of YARN's client, on their way to the ResourceManager. One that has restarted, or took
 * the place of another, knows nothing of what was asked for: YARN's client registers again and asks
 * for all that it remembers. What is to be done before that is done here. Scheduling requests are
 * only added here: YARN's client remembers each of them until a container comes for it, also those
 * that were rejected or withdrawn (Hadoop 3.3 to 3.5). For one thread at a time.
 */
final class SchedulerCalls implements ApplicationMasterProtocol, Closeable {
  private final ApplicationMasterProtocol scheduler;
  private final Runnable onResync;

  /** Those that are to go with the next call, by priority and number. */
  private final Map<List<Long>, SchedulingRequest> unsent = new LinkedHashMap<>();

  /** {@code onResync} is run before YARN's client asks for all that it remembers. */
  SchedulerCalls(ApplicationMasterProtocol scheduler, Runnable onResync) {
    this.scheduler = scheduler;
    this.onResync = onResync;
  }

  /**
   * With the next call; takes the place of one that has its number and waits for that call, too.
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
