package io.tony.am.rendezvous;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * The file descriptors of the ApplicationMaster, of which each connection takes one.
 *
 * @param limit how many the process may have
 * @param taskCount each has one for the connection of its executor
 */
record FileDescriptors(long limit, int taskCount) {
  /** For HDFS, YARN, jars, logs and clients. */
  private static final int RESERVE = 256;

  static FileDescriptors ofProcess(int tasks) {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? new FileDescriptors(unix.getMaxFileDescriptorCount(), tasks)
        : new FileDescriptors(Integer.MAX_VALUE, tasks);
  }

  /** Connections of which nobody knows whose they are, where so many are wanted. */
  int maxPendingConnections(int wanted) {
    return (int) Math.min(wanted, limit / 8);
  }

  /** Connections of the gang, where so many are wanted and so many others are open. */
  int maxGangConnections(int wanted, int others) {
    return (int) Math.max(1, Math.min(wanted, limit - others - taskCount - RESERVE));
  }
}
