package io.tony.executor.rpc;

import java.util.Map;

/**
 * How a program ended.
 *
 * @param code exit code as the shell reports it: 128 + n if signal n ended the process
 * @param stderrTail last lines of the program's stderr
 * @param outputs values that the program wrote to its output file
 * @param omittedOutputs outputs left out because they are too large, and the remedy; else empty
 * @param executorMessage why the executor could not run the program, or ended it; else empty
 * @param timedOut whether the program exceeded its execution timeout
 * @param portTaken whether another process bound the port that the program was given
 * @param progress last progress that the program reported
 * @param hangLocation where the program was before it was ended because it or another task of its
 *     gang hung; empty if this could not be read; null in all other cases
 * @param endedMs when the program ended, in milliseconds since 1970 by this node's clock; 0 if
 *     unknown
 * @param endedByItself whether the program ended before the executor was commanded to end it
 * @param preflightFailed whether the program did not run because its container's preflight failed
 * @param checkpointUnusable whether the program did not run because the checkpoint to resume from
 *     is missing or damaged
 */
public record ProgramExit(
    int code,
    String stderrTail,
    Map<String, String> outputs,
    String omittedOutputs,
    String executorMessage,
    boolean timedOut,
    boolean portTaken,
    String progress,
    String hangLocation,
    long endedMs,
    boolean endedByItself,
    boolean preflightFailed,
    boolean checkpointUnusable) {

  /** Returns the exit of a program that could not be run. */
  public static ProgramExit withoutProgram(int code, String executorMessage) {
    return without(code, executorMessage, false, false);
  }

  /**
   * Returns the exit of a program that did not run because its checkpoint is missing or damaged.
   */
  public static ProgramExit withoutCheckpoint(int code, String executorMessage) {
    return without(code, executorMessage, false, true);
  }

  /** Returns the exit of a task whose container failed the preflight. */
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
