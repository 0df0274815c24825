package io.tony.am.machine;

import io.tony.model.Endpoint;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.time.Instant;

/** One executor as the simulated world moves it: it outlives the attempts of its task. */
final class SimulatedExecutor {
  enum Life {
    /** Its container is being started, or it was told to register again. */
    STARTING,
    /** It holds its port and waits for what it is told. */
    WAITING,
    /** The user's process runs. */
    RUNNING,
    /** The user's process has ended, and it waits for what it is told. */
    EXITED,
    /** Its process is gone. */
    GONE
  }

  TaskKey key;
  Life life = Life.STARTING;
  Endpoint endpoint;

  /** What it reported of its program's end. */
  Event.Exit exit;

  /** Its program has begun to listen at the port for TensorBoard. */
  boolean tensorBoard;

  /** It runs, and nobody hears of it: a lost network. */
  boolean silent;

  /** A program that ignores SIGTERM, in an executor that cannot report. */
  boolean deaf;

  /**
   * What it is to be told when it asks: the master's mailbox for it, which goes with the master.
   */
  int toldAttempt = -1;

  /** Which task it is to be then. */
  TaskId toldTask;

  TaskKey toldStart;
  boolean toldStop;

  /** With the last of these, that it is to tell where its program stands. */
  boolean toldStacks;

  /** Of which start of the gang its program is, and how many checkpoints of it are kept. */
  int session;

  long kept;

  /** YARN is going to take its container, and its program is asked for a checkpoint. */
  boolean marked;

  Instant asked;

  SimulatedExecutor(TaskKey key) {
    this.key = key;
  }

  boolean isTold() {
    return toldStop
        || toldAttempt > key.attempt()
        || (life == Life.WAITING && key.equals(toldStart));
  }

  void forgetWhatItIsTold() {
    toldAttempt = -1;
    toldStart = null;
    toldStop = false;
    toldStacks = false;
  }

  boolean alive() {
    return life != Life.GONE;
  }
}
