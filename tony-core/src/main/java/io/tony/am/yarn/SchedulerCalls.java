package io.tony.am.yarn;

import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.yarn.api.ApplicationMasterProtocol;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.exceptions.ApplicationMasterNotRegisteredException;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * The calls of YARN's client, on their way to the ResourceManager. One that has restarted, or took
 * the place of another, knows nothing of what was asked for: YARN's client registers again and asks
 * for all that it remembers. What is to be done before that is done here. For one thread at a time.
 */
final class SchedulerCalls implements ApplicationMasterProtocol, Closeable {
  private final ApplicationMasterProtocol scheduler;
  private final Runnable onResync;

  /** {@code onResync} is run before YARN's client asks for all that it remembers. */
  SchedulerCalls(ApplicationMasterProtocol scheduler, Runnable onResync) {
    this.scheduler = scheduler;
    this.onResync = onResync;
  }

  @Override
  public RegisterApplicationMasterResponse registerApplicationMaster(
      RegisterApplicationMasterRequest request) throws YarnException, IOException {
    return scheduler.registerApplicationMaster(request);
  }

  @Override
  public AllocateResponse allocate(AllocateRequest request) throws YarnException, IOException {
    try {
      return scheduler.allocate(request);
    } catch (ApplicationMasterNotRegisteredException e) {
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
