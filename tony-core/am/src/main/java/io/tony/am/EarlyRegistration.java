package io.tony.am;

import io.tony.am.machine.JobState;
import io.tony.am.rpc.RpcPort;
import io.tony.am.scheduler.RegisteredScheduler;
import io.tony.am.scheduler.Scheduler;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.process.Spawner;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Binds the RPC port and registers this ApplicationMaster with the scheduler while another thread
 * opens the event log, to save time. Connections made in the meantime are served once the RPC
 * server starts. The first ApplicationMaster of a job also requests its containers early; a later
 * one must read the event log first to know what to request.
 */
final class EarlyRegistration {
  /** The bound port, and the scheduler with which this ApplicationMaster is now registered. */
  record Result(RpcPort.BoundPort port, RegisteredScheduler scheduler) {}

  private static final Logger LOG = LoggerFactory.getLogger(EarlyRegistration.class);

  private final boolean firstAttempt;
  private final FutureTask<Result> task;

  /**
   * Creates the registration without starting anything.
   *
   * @param attempt number of this ApplicationMaster attempt, from 1
   */
  EarlyRegistration(Scheduler scheduler, RpcPort port, JobSpec job, int attempt) {
    firstAttempt = attempt == 1;
    task =
        new FutureTask<>(
            () -> {
              RpcPort.BoundPort bound = port.bind();
              RegisteredScheduler registered =
                  scheduler.register(port.host(), bound.address().getPort());
              Map<RoleSpec, Integer> requests = earlyRequests(job, attempt);
              if (!requests.isEmpty()) {
                registered.requestEarly(requests);
              }
              return new Result(bound, registered);
            });
  }

  /**
   * Returns the number of containers of each role to request before the event log is read. Empty
   * for a later ApplicationMaster attempt: only the event log shows which containers it needs.
   */
  static Map<RoleSpec, Integer> earlyRequests(JobSpec job, int attempt) {
    return attempt == 1 ? JobState.initial(job, 0).unrequestedContainers() : Map.of();
  }

  /**
   * Starts the registration on another thread if this is the first ApplicationMaster attempt; else
   * does nothing. A later attempt must first close and read its predecessor's event log, which may
   * take minutes; it registers in {@link #await}.
   */
  void start() {
    if (!firstAttempt) {
      return;
    }
    try {
      Spawner.SYSTEM.startThread("early-registration", task);
    } catch (IOException e) {
      // No thread is available: await() registers on its caller's thread.
      LOG.warn("Nothing is done ahead: {}", e.getMessage());
    }
  }

  /**
   * Waits until this ApplicationMaster is registered with the scheduler. If {@link #start} has not
   * begun the registration, does it on the calling thread.
   *
   * @throws io.tony.am.http.NoFreePortException if no port was free; the ApplicationMaster is not
   *     registered then
   */
  Result await() throws IOException, YarnException, InterruptedException {
    // Does nothing if the registration has begun or ended on the other thread.
    task.run();
    try {
      return task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException cause) {
        throw cause;
      } else if (e.getCause() instanceof YarnException cause) {
        throw cause;
      } else if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      } else if (e.getCause() instanceof Error cause) {
        throw cause;
      }
      throw new IllegalStateException("a defect: " + e.getCause(), e.getCause());
    }
  }
}
