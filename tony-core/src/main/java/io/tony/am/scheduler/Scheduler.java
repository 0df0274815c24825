package io.tony.am.scheduler;

import java.io.IOException;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** Source of an ApplicationMaster's containers: YARN, or this machine. */
@FunctionalInterface
public interface Scheduler {
  /**
   * Registers this ApplicationMaster.
   *
   * @param host name of the host on which clients find the ApplicationMaster
   * @param port port of its RPC server; 0 if it serves no clients
   */
  RegisteredScheduler register(String host, int port) throws IOException, YarnException;
}
