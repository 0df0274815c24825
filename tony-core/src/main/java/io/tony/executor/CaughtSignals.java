package io.tony.executor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends a signal to those of a program's processes that handle it: it would end the others, the
 * shell around the program among them. proc(5) defines {@code SigCgt}.
 */
final class CaughtSignals {
  private static final ExecutorLog LOG = new ExecutorLog(CaughtSignals.class);
  private static final String CAUGHT = "SigCgt:";

  private CaughtSignals() {}

  static void send(int signal, List<Long> pids) throws IOException {
    List<String> handlers = new ArrayList<>();
    for (long pid : pids) {
      if (handles(pid, signal)) {
        handlers.add(Long.toString(pid));
      }
    }
    if (handlers.isEmpty()) {
      LOG.info("no process of the program handles signal " + signal + ": none gets it");
      return;
    }
    LOG.info("signal " + signal + " to the processes " + String.join(", ", handlers));
    List<String> arguments = new ArrayList<>(List.of(Integer.toString(signal)));
    arguments.addAll(handlers);
    UserProcess.bash("kill -\"$1\" -- \"${@:2}\"", arguments.toArray(new String[0]));
  }

  /** False as well for one that is gone. */
  private static boolean handles(long pid, int signal) {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
        if (line.startsWith(CAUGHT)) {
          long mask = Long.parseUnsignedLong(line.substring(CAUGHT.length()).strip(), 16);
          return (mask >>> (signal - 1) & 1) != 0;
        }
      }
    } catch (IOException e) {
      // it has ended
    }
    return false;
  }
}
