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
 * The environment variable that every process of a program has. Identifies the program's daemons,
 * which are in their own session and have lost their parent. Not thread-safe.
 */
final class ProgramMark {
  private static final ExecutorLog LOG = new ExecutorLog(ProgramMark.class);

  /**
   * Time limit of a search. Reading hundreds of environments usually takes about ten milliseconds.
   */
  private static final Duration SEARCH_TIMEOUT = Duration.ofSeconds(2);

  private final String variable;
  private final Spawner spawner;
  private Thread search; // the last search; null before the first

  /** Creates a mark. {@code variable} is NAME=VALUE, unique to the program. */
  ProgramMark(String variable, Spawner spawner) {
    this.variable = variable;
    this.spawner = spawner;
  }

  /**
   * Returns the given processes that carry the mark, as far as found within {@link
   * #SEARCH_TIMEOUT}. Reading the environment of a process that is stuck in the kernel may block
   * for ever; until it ends, further searches find nothing.
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
