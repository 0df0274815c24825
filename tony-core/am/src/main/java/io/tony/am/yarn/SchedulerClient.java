package io.tony.am.yarn;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.ApplicationMasterProtocol;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.SchedulingRequest;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.client.api.impl.AMRMClientImpl;
import org.apache.hadoop.yarn.exceptions.ApplicationMasterNotRegisteredException;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;

/**
 * YARN's client library for ApplicationMasters, changed in three ways. It repeats the registration
 * and the unregistration if a ResourceManager shuts down while it answers. It learns after some
 * milliseconds that the ResourceManager has saved the application's end, whereas YARN's own code
 * checks only every 100 ms. It runs a task before the requests are repeated to another
 * ResourceManager.
 */
class SchedulerClient extends AMRMClientImpl<ContainerRequest> {
  private static final long MIN_PAUSE_MS = 5;
  private static final long MAX_PAUSE_MS = 100;

  private Runnable onResync = () -> {};
  private @Nullable SchedulerCalls calls; // null before the start

  @Override
  protected void serviceStart() throws Exception {
    super.serviceStart();
    setScheduler(rmClient);
  }

  /** Makes all further calls through {@code scheduler}. */
  final void setScheduler(ApplicationMasterProtocol scheduler) {
    SchedulerCalls newCalls = new SchedulerCalls(scheduler, () -> onResync.run());
    calls = newCalls;
    rmClient = newCalls;
  }

  /**
   * Sends the requests with the next call. This client does not remember them: for a new
   * ResourceManager, each role's {@link RoleContainerRequests} adds its pending requests again.
   */
  @Override
  public synchronized void addSchedulingRequests(Collection<SchedulingRequest> requests) {
    requests.forEach(Objects.requireNonNull(calls)::add);
  }

  /**
   * Sets the task that runs after a restart or failover of the ResourceManager, which then has lost
   * all container requests. After the task, YARN's client library sends the requests that it
   * remembers again, so the task can remove those that are no longer needed.
   */
  final void onResync(Runnable task) {
    onResync = task;
  }

  @Override
  public RegisterApplicationMasterResponse registerApplicationMaster(
      String host, int port, String trackingUrl) throws YarnException, IOException {
    while (true) {
      Optional<RegisterApplicationMasterResponse> response =
          SchedulerErrors.callUnlessStopping(
              () -> super.registerApplicationMaster(host, port, trackingUrl));
      if (response.isPresent()) {
        return response.get();
      }
      waitFor(MAX_PAUSE_MS);
    }
  }

  @Override
  public void unregisterApplicationMaster(
      FinalApplicationStatus status, String message, String trackingUrl)
      throws YarnException, IOException {
    FinishApplicationMasterRequest request =
        FinishApplicationMasterRequest.newInstance(status, message, trackingUrl);
    try {
      long pause = MIN_PAUSE_MS;
      while (!isSaved(request)) {
        waitFor(pause);
        pause = Math.min(2 * pause, MAX_PAUSE_MS);
      }
    } catch (ApplicationMasterNotRegisteredException e) {
      // Another ResourceManager has taken over: YARN's own method registers with it first.
      super.unregisterApplicationMaster(status, message, trackingUrl);
    }
  }

  private boolean isSaved(FinishApplicationMasterRequest request)
      throws YarnException, IOException {
    return SchedulerErrors.callUnlessStopping(
            () -> rmClient.finishApplicationMaster(request).getIsUnregistered())
        .orElse(false);
  }

  private void waitFor(long millis) throws InterruptedIOException {
    try {
      pause(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted before the ResourceManager is asked again");
    }
  }

  void pause(long millis) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(millis);
  }
}
