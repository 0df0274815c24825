package io.tony.executor;

import io.tony.model.FaultHandler;
import java.util.ArrayList;
import java.util.List;

/**
 * What Python's faulthandler writes when a signal ends the program: behind the program's last words
 * come the calls of every thread. Of a program with many threads that is more than can be told.
 */
final class FaultDump {
  private static final String THREAD = "Current thread";

  private FaultDump() {}

  /**
   * The last words, and of the dump its first line and the innermost calls of the thread that
   * failed.
   *
   * @param most of the dump's lines
   */
  static List<String> shortened(List<String> stderr, int most) {
    int begin = 0;
    while (begin < stderr.size() && !stderr.get(begin).startsWith(FaultHandler.BEGIN)) {
      begin++;
    }
    if (begin == stderr.size()) {
      return stderr;
    }
    List<String> words = new ArrayList<>(stderr.subList(0, begin + 1));
    int call = begin + 1;
    while (call < stderr.size() && !stderr.get(call).startsWith(THREAD)) {
      call++;
    }
    for (call++; call < stderr.size() && words.size() - begin < most; call++) {
      if (!stderr.get(call).startsWith(FaultHandler.CALL)) {
        break;
      }
      words.add(stderr.get(call));
    }
    return words;
  }
}
