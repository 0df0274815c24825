package io.tony.executor.program;

import io.tony.executor.settings.ExecutorLog;
import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The variable that every process of a program has in its environment. By it those are known that
 * have become daemons: in a session of their own, and without their parent. Not thread-safe.
 */
final class ProgramMark {
  private static final ExecutorLog LOG = new ExecutorLog(ProgramMark.class);

  /** Reading hundreds of environments takes some ten milliseconds. */
  private static final Duration SEARCH_TIMEOUT = Duration.ofSeconds(2);

  private final String variable;
  private final Spawner spawner;
  private Thread search; // the last one; null before the first

  /** {@code variable} is NAME=VALUE, and no other program's. */
  ProgramMark(String variable, Spawner spawner) {
    this.variable = variable;
    this.spawner = spawner;
  }

  /**
   * Those of some processes that carry it, as far as that can be seen within two seconds: the
   * environment of a process that is stuck in the kernel may not be readable for ever, and then no
   * others are found until it is.
   */
  Set<Long> findCarriers(Collection<Long> pids) {
    Set<Long> found = ConcurrentHashMap.newKeySet();
    if (search != null && search.isAlive()) {
      return found;
    }
    List<Long> all = List.copyOf(pids);
    try {
      search =
          spawner.startThread("program-mark", () -> all.forEach(pid -> addIfCarrier(pid, found)));
      search.join(SEARCH_TIMEOUT.toMillis());
    } catch (IOException e) {
      LOG.warn("which daemons the program has cannot be seen for now: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return Set.copyOf(found);
  }

  private void addIfCarrier(long pid, Set<Long> found) {
    if (ProgramKiller.fileContains(pid, "environ", variable)) {
      found.add(pid);
    }
  }
}
