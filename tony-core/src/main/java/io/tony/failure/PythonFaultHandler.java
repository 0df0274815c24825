package io.tony.failure;

/**
 * How Python's module of that name writes to stderr when a signal ends a program ({@code
 * faulthandler}, "Dumping the traceback"): a line with the signal, then the calls of each thread.
 */
public final class PythonFaultHandler {
  /** What its first line begins with. */
  public static final String FIRST_LINE_PREFIX = "Fatal Python error: ";

  /** What the line of a call begins with. */
  public static final String FRAME_PREFIX = "  File ";

  private PythonFaultHandler() {}
}
