package io.tony.executor.rpc;

import io.tony.tunnel.Chunk;
import java.util.Map;

/** A command from the ApplicationMaster to an executor. */
public sealed interface ExecutorCommand {
  /**
   * Start the program.
   *
   * @param clusterSpec addresses of the gang's tasks, as JSON; empty if the program needs no
   *     cluster file
   * @param executionTimeoutMs maximum run time of the program in milliseconds; 0 for no limit
   * @param checkpoints never null
   */
  record Start(
      String command,
      Map<String, String> environment,
      String clusterSpec,
      long executionTimeoutMs,
      CheckpointPlan checkpoints)
      implements ExecutorCommand {}

  /**
   * Stop the program and this executor.
   *
   * @param stacks whether to report first where the program is, because its gang hangs
   */
  record Stop(String reason, boolean stacks) implements ExecutorCommand {}

  /**
   * Stop the program if it still runs, and register again as another attempt.
   *
   * @param index index of the task, in the same role, that the executor runs from then on
   * @param attempt number of the new attempt
   * @param stacks whether to report first where the program is, because its gang hangs
   */
  record Restart(int index, int attempt, String reason, boolean stacks)
      implements ExecutorCommand {}

  /**
   * Ask the program for a checkpoint. The program keeps running.
   *
   * @param askedMs when the ApplicationMaster decided to ask, in milliseconds since 1970
   * @param signal number of a signal to send as well; 0 for none
   */
  record AskForCheckpoint(long askedMs, int signal) implements ExecutorCommand {}

  /**
   * Report the program's stacks. The program keeps running.
   *
   * @param requestId identifies the request
   * @param allThreads whether to report the stacks of all threads, not only the place of the main
   *     thread
   */
  record AskForStacks(long requestId, boolean allThreads) implements ExecutorCommand {}

  /**
   * Open a tunnel to a client. The program keeps running.
   *
   * @param tunnelId identifies the tunnel
   * @param shell the shell to run at this end; null to connect to the task's port
   */
  record OpenTunnel(long tunnelId, Shell shell) implements ExecutorCommand {}

  /**
   * A shell to run beside the program.
   *
   * @param command command line to run; empty for an interactive shell at a terminal
   * @param terminalType value of TERM for the terminal
   * @param window size of the terminal
   */
  record Shell(String command, String terminalType, Chunk.Window window) {}
}
