package io.tony.executor.program;

import io.tony.failure.PythonFaultHandler;
import java.util.ArrayList;
import java.util.List;

/**
 * Shortens the output of Python's faulthandler, which writes the stacks of all threads to stderr
 * when a signal ends the program: more than a report can hold if the program has many threads.
 */
final class FaultDump {
  private static final String CURRENT_THREAD = "Current thread";

  private FaultDump() {}

  /**
   * Returns the lines before the dump, the dump's first line and the innermost calls of the thread
   * that failed. Returns {@code stderr} itself if it contains no dump.
   *
   * @param maxLines maximum number of the dump's lines to return
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
