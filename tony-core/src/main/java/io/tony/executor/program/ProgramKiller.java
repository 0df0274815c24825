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
 * Ends a program's processes: those of its group, and those that have left it and carry its mark in
 * their environment. It starts no process for that: a program may have used up all that its user
 * may have. ({@code lifeline.sh} does the same where the executor is gone.)
 */
final class ProgramKiller {
  private static final ExecutorLog LOG = new ExecutorLog(ProgramKiller.class);
  private static final File PROC = new File("/proc");

  /** Of one process another one may come while it is looked for. */
  private static final int MAX_ROUNDS = 20;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /**
   * For those that have left the group: the environment of a process that is stuck in the kernel,
   * as by a driver, may not be readable for ever.
   */
  private static final Duration MARKED_LIMIT = Duration.ofSeconds(10);

  private final long group;
  private final String mark;
  private final Spawner spawner;

  /** {@code mark} is a variable of the environment, as NAME=VALUE, that no other program has. */
  ProgramKiller(long group, String mark, Spawner spawner) {
    this.group = group;
    this.mark = mark;
    this.spawner = spawner;
  }

  /** Ends one that was started, and of which this JVM knows nothing but its arguments. */
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

  /** SIGKILL to all of them, until none is left. */
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
          this::isMarked); // there is no thread to be had, which is why it may have to end
    }
  }

  private static void signalUntilGone(LongPredicate filter) {
    for (int round = 0;
        round < MAX_ROUNDS && signal(filter, ProcessHandle::destroyForcibly);
        round++) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** SIGTERM to each process of the group. */
  void terminate() {
    signal(this::isInGroup, ProcessHandle::destroy);
  }

  /** Whether there was any. */
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
        // Before it is looked at: it knows when the process began, and spares another of its
        // number.
        ProcessHandle handle = ProcessHandle.of(Long.parseLong(name)).orElse(null);
        if (handle != null && filter.test(handle.pid())) {
          signal.accept(handle);
          found = true;
        }
      }
    }
    return found;
  }

  /** Whether it is in the group and has not ended: proc(5). */
  private boolean isInGroup(long pid) {
    try {
      String stat = ProcessStat.read("/proc/" + pid + "/stat");
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 4);
      return Long.parseLong(fields[2]) == group && !fields[0].equals("Z") && !fields[0].equals("X");
    } catch (IOException e) {
      return false; // it is gone
    }
  }

  private boolean isMarked(long pid) {
    return fileContains(pid, "environ", mark);
  }

  /** Whether the text stands between two NULs of that file; false where it may not be read. */
  static boolean fileContains(long pid, String file, String text) {
    try {
      return ('\0' + ProcessStat.read("/proc/" + pid + "/" + file)).contains('\0' + text + '\0');
    } catch (IOException e) {
      return false;
    }
  }
}
