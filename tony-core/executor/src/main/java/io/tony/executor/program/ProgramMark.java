package io.tony.executor.program;

import io.tony.executor.settings.ExecutorLog;
import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds a program's daemons, which have left its session and lost their parent, by an environment
 * variable that all its processes inherit. Not thread-safe.
 */
final class ProgramMark {
  private static final ExecutorLog LOG = new ExecutorLog(ProgramMark.class);

  /**
   * Time limit of one search. Reading the environments of hundreds of processes usually takes about
   * ten milliseconds.
   */
  private static final Duration SEARCH_TIMEOUT = Duration.ofSeconds(2);

  private final String variable;
  private final Spawner spawner;
  private @Nullable Thread search; // thread of the last search; null before the first

  /**
   * Creates a mark.
   *
   * @param variable NAME=VALUE; only this program's processes have it
   */
  ProgramMark(String variable, Spawner spawner) {
    this.variable = variable;
    this.spawner = spawner;
  }

  /**
   * Returns those of the given processes that have the variable, as far as they are found within
   * {@link #SEARCH_TIMEOUT}. If a search is stuck, because it reads the environment of a process
   * that is stuck in the kernel, further searches return an empty set until it ends.
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
