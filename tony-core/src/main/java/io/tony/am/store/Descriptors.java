package io.tony.am.store;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * The file descriptors of the ApplicationMaster, of which each connection takes one.
 *
 * @param limit how many the process may have
 * @param tasks each has one for the connection of its executor
 */
record Descriptors(long limit, int tasks) {
  /** For HDFS, YARN, jars, logs and clients. */
  private static final int RESERVE = 256;

  static Descriptors ofProcess(int tasks) {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? new Descriptors(unix.getMaxFileDescriptorCount(), tasks)
        : new Descriptors(Integer.MAX_VALUE, tasks);
  }

  /** Connections of which nobody knows whose they are, where so many are wanted. */
  int strangers(int wanted) {
    return (int) Math.min(wanted, limit / 8);
  }

  /** Connections of the gang, where so many are wanted and so many others are open. */
  int ofGang(int wanted, int others) {
    return (int) Math.max(1, Math.min(wanted, limit - others - tasks - RESERVE));
  }
}
