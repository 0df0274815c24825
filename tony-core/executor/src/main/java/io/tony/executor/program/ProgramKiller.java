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
 * Ends the processes of a program: those of its process group, and those that have left the group
 * but have the program's mark in their environment. Starts no process for this, because the program
 * may have used up the user's limit of processes. If the executor itself is gone, {@code
 * lifeline.sh} does the same.
 */
final class ProgramKiller {
  private static final ExecutorLog LOG = new ExecutorLog(ProgramKiller.class);
  private static final File PROC = new File("/proc");

  /**
   * Maximum number of passes over all processes of the node; several are needed, because a process
   * may fork during a pass.
   */
  private static final int MAX_ROUNDS = 20;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /**
   * How long to wait for the search for processes that have left the group: reading the environment
   * of a process that is stuck in the kernel, for example in a driver, may block for ever.
   */
  private static final Duration MARKED_LIMIT = Duration.ofSeconds(10);

  private final long group;
  private final String mark;
  private final Spawner spawner;

  /**
   * Creates a killer.
   *
   * @param group ID of the program's process group
   * @param mark an environment variable, as NAME=VALUE, that only the program's processes have
   */
  ProgramKiller(long group, String mark, Spawner spawner) {
    this.group = group;
    this.mark = mark;
    this.spawner = spawner;
  }

  /**
   * Kills the child process of this JVM that has {@code argument} on its command line, together
   * with the child's process group. For a child whose process ID is not known.
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

  /**
   * Sends SIGKILL to all processes of the program until none is left; gives up after {@link
   * #MAX_ROUNDS} passes, or when {@link #MARKED_LIMIT} has passed.
   */
  void killAll() {
    signalUntilGone(this::isInGroup);
    try {
      spawner
          .startThread("program-kill", () -> signalUntilGone(this::isMarked))
          .join(MARKED_LIMIT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      // No thread can be started, perhaps because this program has used up all threads. Search on
      // the calling thread, which may block without limit.
      signalUntilGone(this::isMarked);
    }
  }

  private static void signalUntilGone(LongPredicate filter) {
    for (int round = 0;
        round < MAX_ROUNDS && signal(filter, ProcessHandle::destroyForcibly);
        round++) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Sends SIGTERM to each process of the process group. */
  void terminate() {
    signal(this::isInGroup, ProcessHandle::destroy);
  }

  /** Signals every process of the node that matches the filter. Returns true if there was any. */
  private static boolean signal(LongPredicate filter, Consumer<ProcessHandle> signal) {
    String[] names = PROC.list();
    if (names == null) {
      LOG.error("the processes of the program cannot be ended: /proc cannot be read");
      return false;
    }
    long ownPid = ProcessHandle.current().pid();
    boolean found = false;
    for (String name : names) {
      if (name.charAt(0) >= '0' && name.charAt(0) <= '9' && Long.parseLong(name) != ownPid) {
        // Take the handle before the test: it remembers the process's start time, so if the ID is
        // reused after the test, the new process is not signalled.
        ProcessHandle handle = ProcessHandle.of(Long.parseLong(name)).orElse(null);
        if (handle != null && filter.test(handle.pid())) {
          signal.accept(handle);
          found = true;
        }
      }
    }
    return found;
  }

  /**
   * Returns true if the process is in the process group and has not ended (is no zombie), see
   * proc(5).
   */
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
   * Returns true if {@code text} is one of the NUL-separated strings of this file in {@code
   * /proc/PID}; false if the file cannot be read.
   */
  static boolean fileContains(long pid, String file, String text) {
    try {
      return ('\0' + ProcessStat.read("/proc/" + pid + "/" + file)).contains('\0' + text + '\0');
    } catch (IOException e) {
      return false;
    }
  }
}
