package io.tony.executor.program;

import io.tony.failure.PythonFaultHandler;
import java.util.ArrayList;
import java.util.List;

/**
 * What Python's faulthandler writes when a signal ends the program: behind the program's last words
 * come the calls of every thread. Of a program with many threads that is more than can be told.
 */
final class FaultDump {
  private static final String CURRENT_THREAD = "Current thread";

  private FaultDump() {}

  /**
   * The last words, and of the dump its first line and the innermost calls of the thread that
   * failed.
   *
   * @param maxLines of the dump's lines
   */
  static List<String> shortened(List<String> stderr, int maxLines) {
    int dumpStart = 0;
    while (dumpStart < stderr.size()
        && !stderr.get(dumpStart).startsWith(PythonFaultHandler.FIRST_LINE_PREFIX)) {
      dumpStart++;
    }
    if (dumpStart == stderr.size()) {
      return stderr;
    }
    List<String> lines = new ArrayList<>(stderr.subList(0, dumpStart + 1));
    int call = dumpStart + 1;
    while (call < stderr.size() && !stderr.get(call).startsWith(CURRENT_THREAD)) {
      call++;
    }
    for (call++; call < stderr.size() && lines.size() - dumpStart < maxLines; call++) {
      if (!stderr.get(call).startsWith(PythonFaultHandler.FRAME_PREFIX)) {
        break;
      }
      lines.add(stderr.get(call));
    }
    return lines;
  }
}
