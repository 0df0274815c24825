package io.tony.am.machine;

import io.tony.am.machine.Action.StartTask;
import io.tony.model.TaskKey;
import java.time.Instant;

/**
 * Sends commands to executors. An executor gets its commands with its next call; no method blocks.
 */
public interface TaskPort {
  /**
   * Prepares for commands to a container that is about to be launched. Commands are kept until the
   * container ends; commands to an ended container are dropped.
   */
  void expect(TaskKey key);

  void start(StartTask start);

  /**
   * Orders the executor in this container to end its process and to register as this task and
   * attempt.
   *
   * @param dumpStacks true if the process must dump its stacks first
   */
  void restart(TaskKey to, String reason, boolean dumpStacks);

  /**
   * Asks the task's program, if it runs, for a checkpoint. {@code requestedAt} identifies the
   * request.
   */
  void requestCheckpoint(TaskKey key, Instant requestedAt);

  /**
   * Opens a requested shell beside the task's program. The event log must have recorded the shell.
   */
  void openShell(long tunnel);

  /** Refuses a requested shell. {@code reason} is for people. */
  void refuseShell(long tunnel, String reason);

  /**
   * Orders the executor to end its process and to exit. Like {@link #restart}, but without a new
   * registration.
   */
  void stop(TaskKey key, String reason, boolean dumpStacks);
}
