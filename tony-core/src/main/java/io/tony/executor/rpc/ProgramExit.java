package io.tony.executor.rpc;

import java.util.Map;

/**
 * How a program ended.
 *
 * @param code as the shell reports it: 128 + n for a process that signal n ended
 * @param stderrTail its last lines on stderr
 * @param outputs what it wrote to its output file
 * @param outputOmissions what is too large to be among them, and the remedy; else empty
 * @param executorMessage why the executor could not run it, or ended it; else empty
 * @param timedOut it ran longer than its execution timeout allows
 * @param portTaken another process was faster at the port that it was given
 * @param progress the last that it said of its progress
 * @param hangLocation where it stood before it was ended, because it hung or another one of its
 *     gang did: empty where that could not be seen; else null
 * @param endedMs when it ended, in milliseconds since 1970 by this node's clock; 0 if unknown
 * @param endedByItself it had ended before this executor was told to end it
 * @param preflightFailed it was not to run: its container's preflight failed
 * @param checkpointUnusable it did not run: what it was to go on from is gone or damaged
 */
public record ProgramExit(
    int code,
    String stderrTail,
    Map<String, String> outputs,
    String outputOmissions,
    String executorMessage,
    boolean timedOut,
    boolean portTaken,
    String progress,
    String hangLocation,
    long endedMs,
    boolean endedByItself,
    boolean preflightFailed,
    boolean checkpointUnusable) {

  /** Of a program that did not run. */
  public static ProgramExit withoutProgram(int code, String executorMessage) {
    return without(code, executorMessage, false, false);
  }

  /** Of a program that has no checkpoint to go on from, though one was chosen for it. */
  public static ProgramExit withoutCheckpoint(int code, String executorMessage) {
    return without(code, executorMessage, false, true);
  }

  /** Of a container in which none is to run. */
  public static ProgramExit ofPreflight(int code, String problem) {
    return without(code, problem, true, false);
  }

  private static ProgramExit without(
      int code, String message, boolean preflightFailed, boolean checkpointUnusable) {
    return new ProgramExit(
        code,
        "",
        Map.of(),
        "",
        message,
        false,
        false,
        "",
        null,
        0,
        false,
        preflightFailed,
        checkpointUnusable);
  }
}
