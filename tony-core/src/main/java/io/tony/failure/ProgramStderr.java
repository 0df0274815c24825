package io.tony.failure;

import io.tony.model.FaultHandler;

/**
 * What a program wrote to its stderr itself, without what Python's faulthandler writes behind it
 * when a signal ends the program.
 */
final class ProgramStderr {
  private ProgramStderr() {}

  static String of(String stderr) {
    return stderr.substring(0, begin(stderr));
  }

  /** The signal and the innermost call, as faulthandler tells them; empty where it tells none. */
  static String fault(String stderr) {
    String dump = stderr.substring(begin(stderr));
    String signal = dump.lines().findFirst().orElse("");
    String call =
        dump.lines().filter(line -> line.startsWith(FaultHandler.CALL)).findFirst().orElse("");
    return signal + call;
  }

  private static int begin(String stderr) {
    if (stderr.startsWith(FaultHandler.BEGIN)) {
      return 0;
    }
    int line = stderr.indexOf("\n" + FaultHandler.BEGIN);
    return line < 0 ? stderr.length() : line + 1;
  }
}
