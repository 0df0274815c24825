package io.tony.failure;

/**
 * Output format of Python's {@code faulthandler} module when a signal ends a program: a line with
 * the signal, then the calls of each thread.
 */
public final class PythonFaultHandler {
  /** Prefix of the dump's first line. */
  public static final String FIRST_LINE_PREFIX = "Fatal Python error: ";

  /** Prefix of a line with a call in the dump. */
  public static final String FRAME_PREFIX = "  File ";

  private PythonFaultHandler() {}
}
