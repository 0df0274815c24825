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
 * Finds the processes of a program: every process of its session; their descendants, even in other
 * sessions (some frameworks' launchers start workers so); and daemons, which are found by the
 * {@link ProgramMark}. A process that was found once stays found until it ends.
 *
 * <p>To be fast, a scan skips the processes that an earlier scan found not to belong to the
 * program; a node has hundreds of them. Because process IDs are reused, and a new daemon may have
 * been examined too early, every {@value #SCANS_PER_FULL_SCAN}th scan examines all processes. This
 * is more often than once per time window of the {@link HangDetector}. Not thread-safe.
 */
final class ProcessScanner {
  private static final int SCANS_PER_FULL_SCAN = 12;
  private static final File PROC = new File("/proc");

  private final long leader;
  private final ProgramMark mark;
  private Map<Long, Duration> knownMembers =
      Map.of(); // start times of the processes found last, by process ID
  private Set<String> foreignPids = new HashSet<>();
  private int scanCount;

  /**
   * Creates a scanner.
   *
   * @param leader ID of the process that leads, or led, the program's session
   * @param mark mark of the program's processes
   */
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
      } else if (candidate.getKey() != leader) {
        // The leader never counts as foreign: it joins the session only by setsid, which it may
        // call after this scan.
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
