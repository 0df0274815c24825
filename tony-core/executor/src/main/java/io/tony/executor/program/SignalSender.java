package io.tony.executor.program;

import io.tony.executor.settings.ExecutorLog;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends a signal to those processes of a program that have a handler for it; the others would be
 * ended by the signal. {@code SigCgt} in proc(5) shows which signals a process handles.
 */
final class SignalSender {
  private static final ExecutorLog LOG = new ExecutorLog(SignalSender.class);
  private static final String CAUGHT = "SigCgt:";

  /**
   * How long after its fork a process may still seem to handle its parent's signals: until it
   * executes its own program, or a shell resets the handlers.
   */
  private static final Duration FORK_LIMIT = Duration.ofMillis(200);

  private SignalSender() {}

  /**
   * Sends the signal to the processes that handle it. Blocks for up to {@link #FORK_LIMIT} if one
   * of these was just started.
   *
   * @param signal number of the signal
   */
  static void send(int signal, List<Long> pids) throws IOException {
    List<Long> handlers = handlers(signal, pids);
    Duration age = youngestAge(handlers);
    if (age.compareTo(FORK_LIMIT) < 0) {
      // Wait until the youngest process has surely executed its own program. That cannot be
      // observed, so its age must do.
      pause(FORK_LIMIT.minus(age));
      handlers = handlers(signal, handlers);
    }
    if (handlers.isEmpty()) {
      LOG.info("no process of the program handles signal " + signal + ": none gets it");
      return;
    }
    List<String> arguments = new ArrayList<>(List.of(Integer.toString(signal)));
    handlers.forEach(pid -> arguments.add(Long.toString(pid)));
    LOG.info(
        "signal "
            + signal
            + " to the processes "
            + String.join(", ", arguments.subList(1, arguments.size())));
    ProcessGroup.runBash("kill -\"$1\" -- \"${@:2}\"", arguments.toArray(new String[0]));
  }

  private static void pause(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the age of the youngest of these processes; {@link #FORK_LIMIT} if all are older. */
  private static Duration youngestAge(List<Long> pids) throws IOException {
    Duration now = ProcessStat.uptime();
    Duration youngest = FORK_LIMIT;
    for (long pid : pids) {
      ProcessStat stat = ProcessStat.of(Long.toString(pid));
      if (stat != null && now.minus(stat.started()).compareTo(youngest) < 0) {
        youngest = now.minus(stat.started());
      }
    }
    return youngest;
  }

  private static List<Long> handlers(int signal, List<Long> pids) {
    List<Long> handlers = new ArrayList<>(pids);
    handlers.removeIf(pid -> !handles(pid, signal));
    return handlers;
  }

  /** Returns true if the process has a handler for the signal; false if the process has ended. */
  private static boolean handles(long pid, int signal) {
    try {
      for (String line : ProcessStat.read("/proc/" + pid + "/status").split("\n", -1)) {
        if (line.startsWith(CAUGHT)) {
          long mask = Long.parseUnsignedLong(line.substring(CAUGHT.length()).strip(), 16);
          return (mask >>> (signal - 1) & 1) != 0;
        }
      }
    } catch (IOException e) {
      // the process has ended
    }
    return false;
  }
}
