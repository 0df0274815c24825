package io.tony.executor.rpc;

import io.tony.tunnel.Chunk;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A command or request from the ApplicationMaster to an executor. */
public sealed interface ExecutorCommand {
  /**
   * Start the program.
   *
   * @param command command line of the program
   * @param environment additional environment variables of the program
   * @param clusterSpec addresses of the gang's tasks, as JSON; empty if the program needs none
   * @param executionTimeoutMs maximum run time of the program in milliseconds; 0 for no limit
   * @param checkpoints {@link CheckpointPlan#NONE} if there are none
   */
  record Start(
      String command,
      Map<String, String> environment,
      String clusterSpec,
      long executionTimeoutMs,
      CheckpointPlan checkpoints)
      implements ExecutorCommand {}

  /**
   * Stop the program and then this executor.
   *
   * @param reason text for the log
   * @param stacks whether to report, before the stop, where the program is; set if the gang hangs
   */
  record Stop(String reason, boolean stacks) implements ExecutorCommand {}

  /**
   * Stop the program if it still runs, and register again as another attempt.
   *
   * @param index index of the task, in the same role, that the executor runs from now on
   * @param attempt number of the new attempt
   * @param reason text for the log
   * @param stacks whether to report, before the stop, where the program is; set if the gang hangs
   */
  record Restart(int index, int attempt, String reason, boolean stacks)
      implements ExecutorCommand {}

  /**
   * Ask the program to save a checkpoint; it keeps running.
   *
   * @param askedMs time of the request, in milliseconds since 1970; also identifies it
   * @param signal number of a signal to send to the program as well; 0 for none
   */
  record AskForCheckpoint(long askedMs, int signal) implements ExecutorCommand {}

  /**
   * Report the program's stacks. The program keeps running.
   *
   * @param requestId identifies the request
   * @param allThreads whether to report the stacks of all threads; if false, only where the main
   *     thread is
   */
  record AskForStacks(long requestId, boolean allThreads) implements ExecutorCommand {}

  /**
   * Open a tunnel between a client and this container. The program keeps running.
   *
   * @param tunnelId identifies the tunnel
   * @param shell shell to run at the executor's end of the tunnel; null to connect to the task's
   *     port instead
   */
  record OpenTunnel(long tunnelId, @Nullable Shell shell) implements ExecutorCommand {}

  /**
   * A shell to run beside the program.
   *
   * @param command command line to run; empty for an interactive shell at a terminal
   * @param terminalType value of TERM for the terminal
   * @param window size of the terminal
   */
  record Shell(String command, String terminalType, Chunk.Window window) {}
}
