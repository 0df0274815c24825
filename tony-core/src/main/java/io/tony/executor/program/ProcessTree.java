package io.tony.executor.program;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * The processes of a program at one moment.
 *
 * @param cpu the time that they, and the children that they have waited for, have used so far
 */
record ProcessTree(List<Long> pids, Duration cpu) {
  /**
   * Resident memory, in KiB. A page that several processes share is counted for each of them, as
   * YARN's NodeManager counts it: to tell it apart (PSS) the kernel walks all their page tables.
   *
   * @param peak what it was or would have been, had the one process that has fallen furthest below
   *     its own peak been there again: what comes and goes between two looks is seen by this
   */
  record Memory(long resident, long peak) {}

  ProcessTree {
    pids = List.copyOf(pids);
  }

  /** Of those that still run. */
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

  /** Of the process that asks. */
  static Memory ownMemory() {
    return memoryOf("self");
  }

  /** Nothing where the process has ended meanwhile, and has no memory any more. */
  private static Memory memoryOf(String pid) {
    try {
      String status = ProcessStat.read("/proc/" + pid + "/status");
      long resident = kibibytes(status, "\nVmRSS:");
      return new Memory(resident, Math.max(resident, kibibytes(status, "\nVmHWM:")));
    } catch (IOException e) {
      return new Memory(0, 0);
    }
  }

  /** {@code VmRSS: 1768 kB}; the kernel's kB has 1024 bytes. */
  private static long kibibytes(String status, String name) {
    int line = status.indexOf(name);
    if (line < 0) {
      return 0;
    }
    int from = line + name.length();
    return Long.parseLong(status.substring(from, status.indexOf(" kB", from)).strip());
  }
}
