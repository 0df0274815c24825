package io.tony.executor;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The CPU time of a program: of every process of its session, and of those descendants that have
 * moved to a session of their own, as the launchers of some frameworks have their workers do. The
 * format of {@code /proc/PID/stat} is that of proc(5).
 */
final class ProcessTimes {
  /** Linux counts in hundredths of a second on all architectures that Hadoop runs on. */
  private static final long TICK_MS = 10;

  /** Positions behind the command's name, which may hold blanks and brackets. */
  private static final int PARENT = 1;

  private static final int SESSION = 3;
  private static final int FIRST_TIME = 11; // utime, stime, cutime, cstime
  private static final int TIMES = 4;

  private record Stat(long parent, long session, long ticks) {}

  private ProcessTimes() {}

  /** What they, and the children that they have waited for, have used so far. */
  static Duration ofSession(long leader) throws IOException {
    Map<Long, Stat> all = readAll();
    Set<Long> members = new HashSet<>();
    all.forEach(
        (pid, stat) -> {
          if (stat.session() == leader) {
            members.add(pid);
          }
        });
    while (addChildren(all, members)) {
      // until there are no more
    }
    long ticks = members.stream().mapToLong(pid -> all.get(pid).ticks()).sum();
    return Duration.ofMillis(ticks * TICK_MS);
  }

  private static boolean addChildren(Map<Long, Stat> all, Set<Long> members) {
    boolean found = false;
    for (Map.Entry<Long, Stat> process : all.entrySet()) {
      if (members.contains(process.getValue().parent())) {
        found |= members.add(process.getKey());
      }
    }
    return found;
  }

  private static Map<Long, Stat> readAll() throws IOException {
    Map<Long, Stat> all = new HashMap<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        Stat stat = read(process.resolve("stat"));
        if (stat != null) {
          all.put(Long.parseLong(process.getFileName().toString()), stat);
        }
      }
    }
    return all;
  }

  /** Null where the process has ended meanwhile. */
  private static Stat read(Path stat) {
    try {
      return parse(Files.readString(stat));
    } catch (IOException e) {
      return null;
    }
  }

  private static Stat parse(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    long ticks = 0;
    for (int i = FIRST_TIME; i < FIRST_TIME + TIMES; i++) {
      ticks += Long.parseLong(fields[i]);
    }
    return new Stat(Long.parseLong(fields[PARENT]), Long.parseLong(fields[SESSION]), ticks);
  }
}
