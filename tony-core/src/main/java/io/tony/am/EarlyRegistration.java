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
 * What an ApplicationMaster can do before it has its event log: it takes a port, and registers with
 * its scheduler. Whoever calls it then is kept waiting until it serves. The first one of a job asks
 * for containers, too: nothing is to be known from a log before that.
 */
final class EarlyRegistration {
  /** Where it is called, and the scheduler that knows it. */
  record Result(RpcPort.BoundPort port, RegisteredScheduler scheduler) {}

  private static final Logger LOG = LoggerFactory.getLogger(EarlyRegistration.class);

  private final boolean firstAttempt;
  private final FutureTask<Result> task;

  /**
   * Nothing is done yet.
   *
   * @param attempt which ApplicationMaster of its job this is, from 1
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

  /** What is asked for before the log is there: only of a new job it is known what that is. */
  static Map<RoleSpec, Integer> earlyRequests(JobSpec job, int attempt) {
    return attempt == 1 ? JobState.initial(job, 0).unrequestedContainers() : Map.of();
  }

  /**
   * Begins on another thread. A later one does not yet: it has a log to close and to read first,
   * which may take minutes.
   */
  void start() {
    if (!firstAttempt) {
      return;
    }
    try {
      Spawner.SYSTEM.startThread("arrival", task);
    } catch (IOException e) {
      LOG.warn("Nothing is done ahead: {}", e.getMessage()); // await does it
    }
  }

  /**
   * Returns when the scheduler knows this ApplicationMaster.
   *
   * @throws io.tony.am.http.NoFreePortException before the scheduler was told of it
   */
  Result await() throws IOException, YarnException, InterruptedException {
    task.run(); // nothing, where it has begun
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
