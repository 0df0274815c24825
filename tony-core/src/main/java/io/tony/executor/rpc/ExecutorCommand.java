package io.tony.executor.rpc;

import io.tony.tunnel.Chunk;
import java.util.Map;

/** What an ApplicationMaster wants of an executor. */
public sealed interface ExecutorCommand {
  /**
   * Start the program.
   *
   * @param clusterSpec the addresses of its gang, as JSON; empty where it wants no file of them
   * @param executionTimeoutMs how long it may run; 0 for ever
   * @param checkpoints never null
   */
  record Start(
      String command,
      Map<String, String> environment,
      String clusterSpec,
      long executionTimeoutMs,
      CheckpointPlan checkpoints)
      implements ExecutorCommand {}

  /** End the program, and this executor. {@code stacks}: tell where it stood, as its gang hangs. */
  record Stop(String reason, boolean stacks) implements ExecutorCommand {}

  /**
   * End the program where it still runs, and register again as this attempt. {@code stacks}: tell
   * where it stood, as its gang hangs.
   *
   * @param index of the task of the same role that the executor stands by from then on
   */
  record Restart(int index, int attempt, String reason, boolean stacks)
      implements ExecutorCommand {}

  /**
   * Ask the program for a checkpoint; it trains on.
   *
   * @param askedMs when that was decided, in milliseconds since 1970
   * @param signal by which it is asked, too; 0 for none
   */
  record AskForCheckpoint(long askedMs, int signal) implements ExecutorCommand {}

  /**
   * Tell where the program stands; it goes on.
   *
   * @param requestId what tells one from another
   * @param allThreads all threads, and not only the place
   */
  record AskForStacks(long requestId, boolean allThreads) implements ExecutorCommand {}

  /**
   * Open a tunnel to a client; the program goes on.
   *
   * @param tunnelId what tells one from another
   * @param shell what is at this end; null for the port of the task
   */
  record OpenTunnel(long tunnelId, Shell shell) implements ExecutorCommand {}

  /**
   * A shell beside the program.
   *
   * @param command what it runs; empty for a shell at a terminal
   * @param terminalType the kind of that
   * @param window how large it is
   */
  record Shell(String command, String terminalType, Chunk.Window window) {}
}
