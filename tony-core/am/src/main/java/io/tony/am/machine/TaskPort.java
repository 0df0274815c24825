package io.tony.am.machine;

import io.tony.am.machine.Action.StartTask;
import io.tony.model.TaskKey;
import java.time.Instant;

/**
 * Sends commands to executors. An executor receives its commands in the reply to its next call; no
 * method blocks.
 */
public interface TaskPort {
  /**
   * Prepares for commands to a container that is about to be launched. Commands to the container
   * are kept until the executor fetches them or the container ends; later commands are dropped.
   */
  void expect(TaskKey key);

  void start(StartTask start);

  /**
   * Orders the executor in the container of {@code to} to end its program and to register again as
   * the task and attempt of {@code to}.
   *
   * @param reason why the program is ended, for people
   * @param dumpStacks true if the program must dump its stacks before it ends
   */
  void restart(TaskKey to, String reason, boolean dumpStacks);

  /**
   * Asks the task's program, if it runs, to save a checkpoint.
   *
   * @param requestedAt when the request was decided; identifies the request
   */
  void requestCheckpoint(TaskKey key, Instant requestedAt);

  /**
   * Opens a requested shell in the task's container. The shell must be in the event log.
   *
   * @param tunnel identifier of the tunnel that connects the shell with the client
   */
  void openShell(long tunnel);

  /**
   * Refuses a requested shell.
   *
   * @param reason why no shell is opened, for people
   */
  void refuseShell(long tunnel, String reason);

  /**
   * Orders the executor to end its program and to exit. The parameters are those of {@link
   * #restart}.
   */
  void stop(TaskKey key, String reason, boolean dumpStacks);
}
