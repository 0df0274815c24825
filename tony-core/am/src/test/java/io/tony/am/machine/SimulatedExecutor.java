package io.tony.am.machine;

import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
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
  final String node;
  Life life = Life.STARTING;
  Endpoint endpoint;

  /** Counts what has become of it, so that what was planned before is not done any more. */
  int turn;

  /** What it reported of its program's end. */
  Event.Exit exit;

  /** Its program has begun to listen at the port for TensorBoard. */
  boolean tensorBoard;

  /** It runs, or its node does not, and nobody hears of it. */
  boolean silent;

  /** A program that ignores SIGTERM, in an executor that cannot report. */
  boolean deaf;

  /** How its container ended, and when, and what YARN knows of that; null before. */
  FailureKind lost;

  long lostAt;
  FailureKind known;

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

  /** Of its program. */
  long pid;

  /** When its program was asked for a checkpoint last, by which instant; null before. */
  Instant asked;

  SimulatedExecutor(TaskKey key, String node) {
    this.key = key;
    this.node = node;
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

  boolean runs() {
    return life == Life.RUNNING;
  }
}
