package io.tony.am.rendezvous;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * Divides the ApplicationMaster's file descriptors among its connections, each of which takes one.
 *
 * @param limit maximum number of file descriptors of this process
 * @param taskCount number of tasks, whose executors have one connection each
 */
record FileDescriptors(long limit, int taskCount) {
  /** Reserved for HDFS, YARN, jars, logs and clients. */
  private static final int RESERVE = 256;

  static FileDescriptors ofProcess(int tasks) {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? new FileDescriptors(unix.getMaxFileDescriptorCount(), tasks)
        : new FileDescriptors(Integer.MAX_VALUE, tasks);
  }

  /**
   * Returns the maximum number of connections from unidentified peers: {@code wanted} if there are
   * enough descriptors.
   */
  int maxPendingConnections(int wanted) {
    return (int) Math.min(wanted, limit / 8);
  }

  /**
   * Returns the maximum number of connections of the gang: {@code wanted} if there are enough
   * descriptors beside {@code others} other connections.
   */
  int maxGangConnections(int wanted, int others) {
    return (int) Math.max(1, Math.min(wanted, limit - others - taskCount - RESERVE));
  }
}
