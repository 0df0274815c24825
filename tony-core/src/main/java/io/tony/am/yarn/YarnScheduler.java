package io.tony.am.yarn;

import io.tony.am.loop.EventSink;
import io.tony.am.scheduler.Containers;
import io.tony.am.scheduler.RegisteredScheduler;
import io.tony.am.scheduler.Scheduler;
import io.tony.config.TonyConfig;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * YARN as a job's scheduler.
 *
 * @param conf its own: Hadoop's clients write into theirs
 * @param user as whom YARN's nodes run the job
 * @param history where YARN's link leads after the end; null for YARN's own page
 * @param onDisowned called when YARN has given this ApplicationMaster up, so that it must not touch
 *     the job any more; no event tells of it
 */
public record YarnScheduler(
    Configuration conf,
    TonyConfig config,
    JobSpec job,
    InstantSource clock,
    String user,
    String history,
    Runnable onDisowned)
    implements Scheduler {
  @Override
  public RegisteredScheduler register(String host, int port) throws IOException, YarnException {
    YarnRegistration registration = YarnRegistration.of(conf, host, port);
    return new RegisteredScheduler() {
      @Override
      public String queue() {
        return registration.queue();
      }

      @Override
      public void requestEarly(Map<RoleSpec, Integer> wanted) {
        registration.requestEarly(job, config, wanted);
      }

      @Override
      public Containers containers(EventSink sink) {
        return new YarnContainers(
            conf, config, job, sink, clock, user, history, onDisowned, registration);
      }
    };
  }
}
