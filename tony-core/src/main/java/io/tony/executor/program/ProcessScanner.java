package io.tony.executor.program;

import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds a program's processes: every process of its session; descendants that have moved to their
 * own session, as the workers of some frameworks' launchers do; and daemons, which carry the
 * program's {@link ProgramMark}. A process that was found once is always counted.
 *
 * <p>A process that does not belong to the program is skipped by the next scans: a node has
 * hundreds of them, and they do not join the program. But process IDs are reused, and a new daemon
 * may have been mistaken for a foreign process. So every {@value #SCANS_PER_FULL_SCAN}th scan reads
 * all processes, which is more often than once per window of {@link HangDetector}. Not thread-safe.
 */
final class ProcessScanner {
  private static final int SCANS_PER_FULL_SCAN = 12;
  private static final File PROC = new File("/proc");

  private final long leader;
  private final ProgramMark mark;
  private Map<Long, Duration> knownMembers = Map.of(); // start time by process ID
  private Set<String> foreignPids = new HashSet<>();
  private int scanCount;

  /** Creates a scanner. {@code leader} is the process that leads, or led, the program's session. */
  ProcessScanner(long leader, ProgramMark mark) {
    this.leader = leader;
    this.mark = mark;
  }

  ProcessTree scan() throws IOException {
    boolean full = scanCount++ % SCANS_PER_FULL_SCAN == 0;
    if (full) {
      foreignPids.clear();
    }
    String[] names = PROC.list();
    if (names == null) {
      throw new IOException("/proc cannot be read");
    }
    Set<String> foreign = new HashSet<>();
    Map<Long, ProcessStat> candidates = new HashMap<>();
    for (String name : names) {
      if (foreignPids.contains(name)) {
        foreign.add(name);
      } else if (name.charAt(0) >= '0' && name.charAt(0) <= '9') {
        ProcessStat stat = ProcessStat.of(name);
        if (stat != null) {
          candidates.put(Long.parseLong(name), stat);
        }
      }
    }
    Set<Long> members = members(candidates, full);
    Map<Long, Duration> found = new HashMap<>();
    long ticks = 0;
    for (Map.Entry<Long, ProcessStat> candidate : candidates.entrySet()) {
      if (members.contains(candidate.getKey())) {
        ticks += candidate.getValue().ticks();
        found.put(candidate.getKey(), candidate.getValue().started());
      } else if (candidate.getKey() != leader) { // the leader may not have created its session yet
        foreign.add(candidate.getKey().toString());
      }
    }
    foreignPids = foreign;
    knownMembers = found;
    List<Long> pids = new ArrayList<>(members);
    return new ProcessTree(pids, Duration.ofMillis(ticks * ProcessStat.TICK_MS));
  }

  private Set<Long> members(Map<Long, ProcessStat> candidates, boolean full) {
    Set<Long> members = new HashSet<>();
    for (Map.Entry<Long, ProcessStat> candidate : candidates.entrySet()) {
      ProcessStat stat = candidate.getValue();
      if (stat.session() == leader || stat.started().equals(knownMembers.get(candidate.getKey()))) {
        members.add(candidate.getKey());
      }
    }
    addDescendants(members, candidates);
    if (full) {
      Set<Long> others = new HashSet<>(candidates.keySet());
      others.removeAll(members);
      members.addAll(mark.findCarriers(others));
      addDescendants(members, candidates);
    }
    return members;
  }

  private static void addDescendants(Set<Long> members, Map<Long, ProcessStat> candidates) {
    boolean found = true;
    while (found) {
      found = false;
      for (Map.Entry<Long, ProcessStat> candidate : candidates.entrySet()) {
        if (members.contains(candidate.getValue().parent())) {
          found |= members.add(candidate.getKey());
        }
      }
    }
  }
}
