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
 * Finds a program's processes, from time to time: every process of its session; those descendants
 * that have moved to a session of their own, as the launchers of some frameworks have their workers
 * do; and the daemons that it has started, which carry its {@link ProgramMark}. What was found once
 * stays the program's.
 *
 * <p>A process that was a stranger at one look is not read again at the next: a node has hundreds
 * of them, and they do not become a program's. Its number can go to another process, though, and a
 * process that has just become a daemon is taken for a stranger; so all are read now and then, more
 * often than {@link HangDetector} looks in its window. Not thread-safe.
 */
final class ProcessScanner {
  private static final int SCANS_PER_FULL_SCAN = 12;
  private static final File PROC = new File("/proc");

  private final long leader;
  private final ProgramMark mark;
  private Map<Long, Duration> knownMembers = Map.of(); // by when they were started
  private Set<String> foreignPids = new HashSet<>();
  private int scanCount;

  /** {@code leader} is the process that leads, or led, the program's session. */
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
      } else if (candidate.getKey() != leader) { // which may be about to begin its session
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
