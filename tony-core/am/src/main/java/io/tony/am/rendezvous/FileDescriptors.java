package io.tony.am.rendezvous;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * Divides the file descriptors of the ApplicationMaster's process among its connections, each of
 * which needs one.
 *
 * @param limit maximum number of file descriptors of this process
 * @param taskCount number of the job's tasks, whose executors have one connection each
 */
record FileDescriptors(long limit, int taskCount) {
  /** Number of file descriptors reserved for HDFS, YARN, jars, log files and clients. */
  private static final int RESERVE = 256;

  static FileDescriptors ofProcess(int tasks) {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? new FileDescriptors(unix.getMaxFileDescriptorCount(), tasks)
        : new FileDescriptors(Integer.MAX_VALUE, tasks);
  }

  /**
   * Returns the maximum number of connections whose peer is not identified yet: {@code wanted}, or
   * fewer if file descriptors are scarce.
   */
  int maxPendingConnections(int wanted) {
    return (int) Math.min(wanted, limit / 8);
  }

  /**
   * Returns the maximum number of connections of the gang's programs: {@code wanted}, or fewer if
   * file descriptors are scarce. {@code others} is the number of other connections of the same
   * server.
   */
  int maxGangConnections(int wanted, int others) {
    return (int) Math.max(1, Math.min(wanted, limit - others - taskCount - RESERVE));
  }
}
