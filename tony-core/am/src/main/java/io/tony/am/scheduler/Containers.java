package io.tony.am.scheduler;

import io.tony.am.machine.ContainerPort;
import io.tony.model.JobResult;
import io.tony.model.TaskKey;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * Requests, assigns and releases the containers of a job, on YARN or on this machine. Offers events
 * to the sink that was given at creation.
 */
public interface Containers extends ContainerPort, AutoCloseable {
  /**
   * Starts to offer events to the sink, and finds the containers that an earlier ApplicationMaster
   * left.
   *
   * @param heldTasks returns the tasks that, according to the event log, have one of the given
   *     containers
   */
  InheritedContainers start(Function<Set<String>, List<TaskKey>> heldTasks)
      throws IOException, YarnException;

  /** Returns a launcher that starts executors in the containers of this object. */
  Launcher launcher(ExecutorLaunch launch) throws IOException;

  /**
   * Returns the secret key that requests for the job's page must contain; empty if the scheduler
   * controls the access to the page.
   */
  Optional<String> pageKey() throws IOException;

  /** Sets the URL to which the scheduler's link to the job leads. */
  void setTrackingUrl(String trackingUrl);

  /**
   * Reports the job's result to the scheduler. Returns once the scheduler has stored the result.
   */
  void unregister(JobResult result) throws IOException, YarnException;

  /** Stops all calls to the scheduler, without reporting a result. */
  @Override
  void close();
}
