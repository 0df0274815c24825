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
 * Containers of a job, as its scheduler manages them. Events go to the sink that was given at
 * creation.
 */
public interface Containers extends ContainerPort, AutoCloseable {
  /**
   * Starts to offer events to the sink.
   *
   * @param heldTasks returns the tasks that, according to the event log, hold a container in the
   *     given set
   */
  InheritedContainers start(Function<Set<String>, List<TaskKey>> heldTasks)
      throws IOException, YarnException;

  /** Returns a launcher that starts executors in these containers. */
  Launcher launcher(ExecutorLaunch launch) throws IOException;

  /**
   * Returns the secret key that requests for the job's page must contain; empty if the scheduler
   * itself controls the access.
   */
  Optional<String> pageKey() throws IOException;

  /** Sets the target URL of the scheduler's link to the job. */
  void setTrackingUrl(String trackingUrl);

  /** Reports the job's result to the scheduler; returns when the scheduler has stored it. */
  void unregister(JobResult result) throws IOException, YarnException;

  /** Stops calling the scheduler, without reporting a result. */
  @Override
  void close();
}
