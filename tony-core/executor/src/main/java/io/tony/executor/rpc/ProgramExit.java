package io.tony.executor.rpc;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt of a task ended.
 *
 * @param code exit code as a shell reports it: 128 + n if signal n ended the process
 * @param stderrTail last lines of the program's stderr
 * @param outputs values that the program wrote to its output file
 * @param omittedOutputs message about outputs left out because they are too large; else empty
 * @param executorMessage why the executor could not run the program, or why it ended the program;
 *     else empty
 * @param timedOut whether the executor ended the program at its execution timeout
 * @param portTaken whether another process had bound the port that was reserved for the program
 * @param progress last progress that the program reported; empty if none
 * @param hangLocation where the program was before it was ended because its gang hung; empty if the
 *     stacks could not be read; null if none were requested
 * @param endedMs when the program ended, in milliseconds since 1970 by this node's clock; 0 if
 *     unknown
 * @param endedByItself whether the program ended before the ApplicationMaster commanded its end
 * @param preflightFailed whether the program did not run because its container failed the preflight
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
    @Nullable String hangLocation,
    long endedMs,
    boolean endedByItself,
    boolean preflightFailed,
    boolean checkpointUnusable) {

  /**
   * Returns the exit of an attempt whose program did not run.
   *
   * @param executorMessage why the program did not run; empty after a stop
   */
  public static ProgramExit withoutProgram(int code, String executorMessage) {
    return without(code, executorMessage, false, false);
  }

  /**
   * Returns the exit of an attempt whose program did not run because the checkpoint to resume from
   * is missing or damaged.
   */
  public static ProgramExit withoutCheckpoint(int code, String executorMessage) {
    return without(code, executorMessage, false, true);
  }

  /**
   * Returns the exit of an attempt whose program did not run because its container failed the
   * preflight.
   */
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
