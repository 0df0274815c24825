package io.tony.am.scheduler;

import java.io.IOException;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** Source of an ApplicationMaster's containers: YARN or this machine. */
@FunctionalInterface
public interface Scheduler {
  /**
   * Registers this ApplicationMaster with the scheduler.
   *
   * @param host name of the host to which clients connect
   * @param port port of the RPC server; 0 if this ApplicationMaster serves no clients
   */
  RegisteredScheduler register(String host, int port) throws IOException, YarnException;
}
