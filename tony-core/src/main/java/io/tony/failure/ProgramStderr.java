package io.tony.failure;

/**
 * What a program wrote to its stderr itself, without what Python's faulthandler writes behind it
 * when a signal ends the program.
 */
final class ProgramStderr {
  private ProgramStderr() {}

  static String of(String stderr) {
    return stderr.substring(0, dumpStart(stderr));
  }

  /** The signal and the innermost call, as faulthandler tells them; empty where it tells none. */
  static String fault(String stderr) {
    String dump = stderr.substring(dumpStart(stderr));
    String signal = dump.lines().findFirst().orElse("");
    String call =
        dump.lines()
            .filter(line -> line.startsWith(PythonFaultHandler.FRAME_PREFIX))
            .findFirst()
            .orElse("");
    return signal + call;
  }

  private static int dumpStart(String stderr) {
    if (stderr.startsWith(PythonFaultHandler.FIRST_LINE_PREFIX)) {
      return 0;
    }
    int line = stderr.indexOf("\n" + PythonFaultHandler.FIRST_LINE_PREFIX);
    return line < 0 ? stderr.length() : line + 1;
  }
}
