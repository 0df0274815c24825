package io.tony.am.local;

import io.tony.am.loop.EventSink;
import io.tony.am.scheduler.Containers;
import io.tony.am.scheduler.RegisteredScheduler;
import io.tony.am.scheduler.Scheduler;
import io.tony.container.local.LocalApplication;
import io.tony.container.local.LocalClusterFolders;
import io.tony.container.local.LocalNode;
import io.tony.container.local.LocalResources;
import io.tony.model.RoleSpec;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ContainerId;

/**
 * Scheduler for a job that runs on this machine only.
 *
 * @param machine resources of this machine
 * @param masterMiB memory of the ApplicationMaster, in MiB
 * @param master container ID of the ApplicationMaster
 */
public record LocalScheduler(
    Configuration conf,
    LocalClusterFolders folders,
    LocalResources machine,
    long masterMiB,
    ContainerId master,
    InstantSource clock)
    implements Scheduler {
  @Override
  public RegisteredScheduler register(String host, int port) throws IOException {
    var attempt = master.getApplicationAttemptId();
    var id = attempt.getApplicationId();
    LocalApplication application = new LocalApplication(folders, id);
    application.write(LocalApplication.Item.ADDRESS, host + ":" + port);
    return new RegisteredScheduler() {
      @Override
      public String queue() {
        return "";
      }

      /**
       * Does nothing: this machine's containers are allocated without delay once the job requests
       * them.
       */
      @Override
      public void requestEarly(Map<RoleSpec, Integer> wanted) {}

      @Override
      public Containers containers(EventSink sink) throws IOException {
        return new LocalContainers(
            new Slots(machine, masterMiB, master.getContainerId()),
            new LocalNode(conf, folders, id),
            application,
            attempt,
            sink,
            clock);
      }
    };
  }
}
