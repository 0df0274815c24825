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

/** The containers of this job, as its scheduler has them. */
public interface Containers extends ContainerPort, AutoCloseable {
  /**
   * Begins: from now on the sink is told.
   *
   * @param heldTasks the tasks that, by the event log, hold one of these containers
   */
  InheritedContainers start(Function<Set<String>, List<TaskKey>> heldTasks)
      throws IOException, YarnException;

  /** What starts executors in them. */
  Launcher launcher(ExecutorLaunch launch) throws IOException;

  /** What whoever looks at the job's page must know; nothing where the scheduler lets them in. */
  Optional<String> pageKey() throws IOException;

  /** Where the scheduler's link to the job leads from now on. */
  void setTrackingUrl(String trackingUrl);

  /** Tells the scheduler how the job ended; returns when it has it. */
  void unregister(JobResult result) throws IOException, YarnException;

  /** Ends the talk with the scheduler without telling it anything. */
  @Override
  void close();
}
