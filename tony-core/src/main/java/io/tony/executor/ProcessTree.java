package io.tony.executor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The processes of a program at one moment: every process of its session, and those descendants
 * that have moved to a session of their own, as the launchers of some frameworks have their workers
 * do. The formats of {@code /proc/PID/stat} and {@code status} are those of proc(5).
 *
 * @param cpu the time that they, and the children that they have waited for, have used so far
 */
record ProcessTree(List<Long> pids, Duration cpu) {
  /** Linux counts in hundredths of a second on all architectures that Hadoop runs on. */
  private static final long TICK_MS = 10;

  /** Positions behind the command's name, which may hold blanks and brackets. */
  private static final int PARENT = 1;

  private static final int SESSION = 3;
  private static final int FIRST_TIME = 11; // utime, stime, cutime, cstime
  private static final int TIMES = 4;

  private record Stat(long parent, long session, long ticks) {}

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

  /** The program whose session this process leads, or led. */
  static ProcessTree of(long leader) throws IOException {
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
    return new ProcessTree(new ArrayList<>(members), Duration.ofMillis(ticks * TICK_MS));
  }

  /** Of those that still run. */
  Memory memory() {
    long resident = 0;
    long fallen = 0;
    for (long pid : pids) {
      Memory own = memoryOf(Path.of("/proc", Long.toString(pid), "status"));
      resident += own.resident();
      fallen = Math.max(fallen, own.peak() - own.resident());
    }
    return new Memory(resident, resident + fallen);
  }

  /** Of the process that asks. */
  static Memory ownMemory() {
    return memoryOf(Path.of("/proc/self/status"));
  }

  /** The number of the process that leads the session of the one that asks. */
  static long ownSession() throws IOException {
    return parse(Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1))
        .session();
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

  /** Null where the process has ended meanwhile. Its name may be cut within a letter. */
  private static Stat read(Path stat) {
    try {
      return parse(Files.readString(stat, StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      return null;
    }
  }

  private static Stat parse(String stat) {
    String afterName = stat.substring(stat.lastIndexOf(')') + 2);
    String[] fields = afterName.split(" ", FIRST_TIME + TIMES + 1);
    long ticks = 0;
    for (int i = FIRST_TIME; i < FIRST_TIME + TIMES; i++) {
      ticks += Long.parseLong(fields[i]);
    }
    return new Stat(Long.parseLong(fields[PARENT]), Long.parseLong(fields[SESSION]), ticks);
  }

  /** Nothing where the process has ended meanwhile, and has no memory any more. */
  private static Memory memoryOf(Path status) {
    long resident = 0;
    long peak = 0;
    try {
      for (String line : Files.readString(status, StandardCharsets.ISO_8859_1).lines().toList()) {
        if (line.startsWith("VmRSS:")) {
          resident = kibibytes(line);
        } else if (line.startsWith("VmHWM:")) {
          peak = kibibytes(line);
        }
      }
    } catch (IOException e) {
      return new Memory(0, 0);
    }
    return new Memory(resident, Math.max(resident, peak));
  }

  /** {@code VmRSS: 1768 kB}; the kernel's kB has 1024 bytes. */
  private static long kibibytes(String line) {
    return Long.parseLong(line.substring(line.indexOf(':') + 1, line.lastIndexOf(' ')).strip());
  }
}
