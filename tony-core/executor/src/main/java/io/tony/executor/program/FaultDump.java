package io.tony.executor.program;

import io.tony.failure.PythonFaultHandler;
import java.util.ArrayList;
import java.util.List;

/**
 * Shortens what Python's faulthandler writes to stderr when a signal ends the program: the stacks
 * of all threads, which may be longer than a report can hold.
 */
final class FaultDump {
  private static final String CURRENT_THREAD = "Current thread";

  private FaultDump() {}

  /**
   * Returns the lines of stderr up to the first line of faulthandler's dump, and then the innermost
   * calls of the thread that the signal hit. Returns {@code stderr} itself if it contains no dump.
   *
   * @param stderr lines of the program's stderr
   * @param maxLines maximum number of lines of the dump to return, including its first line
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
