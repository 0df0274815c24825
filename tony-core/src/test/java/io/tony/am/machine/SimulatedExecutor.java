package io.tony.am.machine;

import io.tony.model.TaskKey;

/** One executor as the simulated world moves it. */
final class SimulatedExecutor {
  enum Life {
    /** Its container is being started. */
    STARTING,
    /** It holds its port and waits for what it is told. */
    WAITING,
    /** The user's process runs. */
    RUNNING,
    /** Its process is gone. */
    GONE
  }

  final TaskKey key;
  Life life = Life.STARTING;

  /** It runs, and nobody hears of it: a lost network. */
  boolean silent;

  /** A program that ignores SIGTERM, in an executor that cannot report. */
  boolean deaf;

  SimulatedExecutor(TaskKey key) {
    this.key = key;
  }

  boolean alive() {
    return life != Life.GONE;
  }
}
