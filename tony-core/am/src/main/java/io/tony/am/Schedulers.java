package io.tony.am;

import io.tony.am.local.LocalScheduler;
import io.tony.am.page.HistoryLink;
import io.tony.am.scheduler.Scheduler;
import io.tony.am.yarn.YarnScheduler;
import io.tony.config.TonyConfig;
import io.tony.container.MasterRequest;
import io.tony.container.local.LocalClusterFolders;
import io.tony.container.local.LocalResources;
import io.tony.model.JobSpec;
import java.time.InstantSource;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Selects the scheduler for this ApplicationMaster: YARN, or the local scheduler if the job runs on
 * its client's machine.
 */
final class Schedulers {
  private Schedulers() {}

  /**
   * Returns the scheduler that started this process, which the process's environment variables
   * show.
   *
   * @param container ID of this ApplicationMaster's own container
   * @param onDisowned runs after YARN has rejected this ApplicationMaster
   */
  static Scheduler of(
      Configuration conf,
      TonyConfig config,
      JobSpec job,
      ContainerId container,
      InstantSource clock,
      Runnable onDisowned) {
    // Copied because Hadoop's clients modify it while other threads read the original.
    Configuration confCopy = new YarnConfiguration(conf);
    Optional<LocalClusterFolders> localFolders = LocalClusterFolders.ofContainer(System.getenv());
    if (localFolders.isPresent()) {
      return new LocalScheduler(
          confCopy,
          localFolders.get(),
          LocalResources.fromEnvironment(System.getenv()),
          MasterRequest.resource(config).memoryMiB(),
          container,
          clock);
    }
    String user = System.getenv(Environment.USER.name());
    String application = container.getApplicationAttemptId().getApplicationId().toString();
    return new YarnScheduler(
        confCopy, config, job, clock, user, HistoryLink.of(config, application, user), onDisowned);
  }
}
