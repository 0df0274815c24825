package io.tony.executor.program;

import io.tony.executor.settings.ExecutorLog;
import io.tony.process.Spawner;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/**
 * Ends a program's processes: those of its group, and those that have left it but carry its mark in
 * their environment. Starts no process for this, because the program may have used up the user's
 * limit. ({@code lifeline.sh} does the same if the executor is gone.)
 */
final class ProgramKiller {
  private static final ExecutorLog LOG = new ExecutorLog(ProgramKiller.class);
  private static final File PROC = new File("/proc");

  /** Maximum number of passes over all processes. A process may fork during a pass. */
  private static final int MAX_ROUNDS = 20;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /**
   * Time limit for killing processes that have left the group: reading the environment of a process
   * that is stuck in the kernel, for example in a driver, may block for ever.
   */
  private static final Duration MARKED_LIMIT = Duration.ofSeconds(10);

  private final long group;
  private final String mark;
  private final Spawner spawner;

  /**
   * Creates a killer.
   *
   * @param mark an environment variable, as NAME=VALUE, that is unique to the program
   */
  ProgramKiller(long group, String mark, Spawner spawner) {
    this.group = group;
    this.mark = mark;
    this.spawner = spawner;
  }

  /**
   * Kills a child of this JVM that is known only by one of its arguments, and that child's group.
   */
  static void killByArgument(String argument, Spawner spawner) {
    ProcessHandle.current()
        .children()
        .filter(child -> fileContains(child.pid(), "cmdline", argument))
        .forEach(
            leader -> {
              new ProgramKiller(leader.pid(), argument, spawner).killAll();
              leader.destroyForcibly();
            });
  }

  /** Sends SIGKILL to all processes until none is left. */
  void killAll() {
    signalUntilGone(this::isInGroup);
    try {
      spawner
          .startThread("program-kill", () -> signalUntilGone(this::isMarked))
          .join(MARKED_LIMIT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      signalUntilGone(
          this::isMarked); // no thread can be created, perhaps because of this very program
    }
  }

  private static void signalUntilGone(LongPredicate filter) {
    for (int round = 0;
        round < MAX_ROUNDS && signal(filter, ProcessHandle::destroyForcibly);
        round++) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Sends SIGTERM to each process of the group. */
  void terminate() {
    signal(this::isInGroup, ProcessHandle::destroy);
  }

  /** Signals all matching processes. Returns true if there was any. */
  private static boolean signal(LongPredicate filter, Consumer<ProcessHandle> signal) {
    String[] names = PROC.list();
    if (names == null) {
      LOG.error("the processes of the program cannot be ended: /proc cannot be read", null);
      return false;
    }
    long ownPid = ProcessHandle.current().pid();
    boolean found = false;
    for (String name : names) {
      if (name.charAt(0) >= '0' && name.charAt(0) <= '9' && Long.parseLong(name) != ownPid) {
        // Take the handle before the check: it remembers the start time, so a process that reuses
        // the ID is not signalled.
        ProcessHandle handle = ProcessHandle.of(Long.parseLong(name)).orElse(null);
        if (handle != null && filter.test(handle.pid())) {
          signal.accept(handle);
          found = true;
        }
      }
    }
    return found;
  }

  /** Returns true if the process is in the group and has not ended, see proc(5). */
  private boolean isInGroup(long pid) {
    try {
      String stat = ProcessStat.read("/proc/" + pid + "/stat");
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 4);
      return Long.parseLong(fields[2]) == group && !fields[0].equals("Z") && !fields[0].equals("X");
    } catch (IOException e) {
      return false; // the process has ended
    }
  }

  private boolean isMarked(long pid) {
    return fileContains(pid, "environ", mark);
  }

  /**
   * Returns true if the text is one of the NUL-separated strings of a file in {@code /proc/PID};
   * false if the file cannot be read.
   */
  static boolean fileContains(long pid, String file, String text) {
    try {
      return ('\0' + ProcessStat.read("/proc/" + pid + "/" + file)).contains('\0' + text + '\0');
    } catch (IOException e) {
      return false;
    }
  }
}
