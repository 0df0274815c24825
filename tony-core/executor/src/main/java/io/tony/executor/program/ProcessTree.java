package io.tony.executor.program;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * The processes of a program at one moment.
 *
 * @param pids their process IDs
 * @param cpu CPU time used by these processes and by those of their children that have ended and
 *     that they have waited for
 */
record ProcessTree(List<Long> pids, Duration cpu) {
  /**
   * Resident memory in KiB. A page that several processes share counts for each of them, as in
   * YARN's NodeManager; to count it once (PSS), the kernel would have to read all page tables.
   *
   * @param resident current resident memory of all processes
   * @param peak estimate of the peak of the sum, including peaks between two samples: {@code
   *     resident} plus the largest difference between the own peak of a process and its current
   *     resident memory
   */
  record Memory(long resident, long peak) {}

  ProcessTree {
    pids = List.copyOf(pids);
  }

  /** Returns the memory of those of the processes that still run. */
  Memory memory() {
    long resident = 0;
    long fallen = 0;
    for (long pid : pids) {
      Memory processMemory = memoryOf(Long.toString(pid));
      resident += processMemory.resident();
      fallen = Math.max(fallen, processMemory.peak() - processMemory.resident());
    }
    return new Memory(resident, resident + fallen);
  }

  /** Returns the memory of this JVM. */
  static Memory ownMemory() {
    return memoryOf("self");
  }

  /** Returns the memory of a process; 0 if the process has ended. */
  private static Memory memoryOf(String pid) {
    try {
      String status = ProcessStat.read("/proc/" + pid + "/status");
      long resident = kibibytes(status, "\nVmRSS:");
      return new Memory(resident, Math.max(resident, kibibytes(status, "\nVmHWM:")));
    } catch (IOException e) {
      return new Memory(0, 0);
    }
  }

  /**
   * Returns the value of a line such as {@code VmRSS: 1768 kB}; 0 if there is no such line. The
   * kernel's kB is 1024 bytes.
   */
  private static long kibibytes(String status, String name) {
    int line = status.indexOf(name);
    if (line < 0) {
      return 0;
    }
    int from = line + name.length();
    return Long.parseLong(status.substring(from, status.indexOf(" kB", from)).strip());
  }
}
