package io.tony.am.machine;

import io.tony.am.machine.Action.StartTask;
import io.tony.model.TaskKey;
import java.time.Instant;

/** Tells executors what to do. Each is told as soon as it asks; no call waits. */
public interface TaskPort {
  /**
   * The container is about to be launched: from now to its end there is somebody to tell. What is
   * to be told to a container that has ended is told to nobody.
   */
  void expect(TaskKey key);

  void start(StartTask start);

  /**
   * The executor in this container is to end its process and register as this task and attempt.
   * {@code stacks}: the process is to tell first where it stands.
   */
  void restart(TaskKey to, String reason, boolean dumpStacks);

  /** The program, if it runs, is to be asked for a checkpoint, as was decided at that instant. */
  void requestCheckpoint(TaskKey key, Instant requestedAt);

  /** Somebody's shell is to be opened beside the task's program; the event log has it. */
  void openShell(long tunnel);

  /** That shell is not to be opened. */
  void refuseShell(long tunnel, String reason);

  /** The same as a restart, and it registers no more. */
  void stop(TaskKey key, String reason, boolean dumpStacks);
}
