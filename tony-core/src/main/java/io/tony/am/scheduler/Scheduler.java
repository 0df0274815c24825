package io.tony.am.scheduler;

import java.io.IOException;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** Where an ApplicationMaster gets its containers: YARN, or this machine. */
@FunctionalInterface
public interface Scheduler {
  /**
   * Makes this ApplicationMaster known to it.
   *
   * @param host where clients find the ApplicationMaster
   * @param port 0 where they do not
   */
  RegisteredScheduler register(String host, int port) throws IOException, YarnException;
}
