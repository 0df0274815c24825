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
import org.jspecify.annotations.Nullable;

/**
 * YARN as a job's scheduler.
 *
 * @param conf configuration for this object only, because Hadoop's clients modify it
 * @param user user as whom YARN's nodes run the job
 * @param history URL to which YARN's link leads after the application's end; null for YARN's own
 *     page
 * @param onDisowned runs after YARN has rejected this ApplicationMaster, which must not change the
 *     job any more; no event is offered then
 */
public record YarnScheduler(
    Configuration conf,
    TonyConfig config,
    JobSpec job,
    InstantSource clock,
    String user,
    @Nullable String history,
    Runnable onDisowned)
    implements Scheduler {
  @Override
  public RegisteredScheduler register(String host, int port) throws IOException, YarnException {
    YarnRegistration registration = YarnRegistration.register(conf, host, port);
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
