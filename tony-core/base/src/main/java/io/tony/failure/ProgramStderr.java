package io.tony.failure;

/**
 * Separates what a program wrote to its stderr from the dump that Python's {@code faulthandler}
 * appends when a signal ends the program.
 */
final class ProgramStderr {
  private ProgramStderr() {}

  static String of(String stderr) {
    return stderr.substring(0, dumpStart(stderr));
  }

  /**
   * Returns the signal and the innermost call in the dump of {@code faulthandler}; empty if there
   * is no dump.
   */
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
