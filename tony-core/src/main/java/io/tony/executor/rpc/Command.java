package io.tony.executor.rpc;

import java.util.Map;

/** What an ApplicationMaster wants of an executor. */
public sealed interface Command {
  /**
   * Start the program.
   *
   * @param executionTimeoutMs how long it may run; 0 for ever
   */
  record Start(String command, Map<String, String> environment, long executionTimeoutMs)
      implements Command {}

  /** End the program, and this executor. */
  record Stop(String reason) implements Command {}

  /** End the program where it still runs, and register again as this attempt. */
  record Restart(int attempt, String reason) implements Command {}
}
