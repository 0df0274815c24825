package io.tony.executor;

/**
 * State of a {@link TaskStateMachine}. In every state, losing the ApplicationMaster leads to {@link
 * #OVER}, after the program has ended and its remaining checkpoints are copied.
 */
enum ExecutorPhase {
  /**
   * Registered; the user's source folder is being unpacked. Next: {@link #WAITING}, or {@link
   * #ENDED} if unpacking failed.
   */
  PREPARING,
  /**
   * Waiting for the start command. Next: {@link #RUNNING}, or {@link #RESUMING} if there is a
   * checkpoint to resume from; {@link #ENDED} if the program cannot be run; {@link #WAITING} again
   * on a restart; {@link #OVER} on a stop.
   */
  WAITING,
  /** Downloading the checkpoint to resume from. Next: like {@link #WAITING}. */
  RESUMING,
  /**
   * The program runs, or is ending after a stop or restart. Next: {@link #KEEPING} when all
   * processes of its group have ended.
   */
  RUNNING,
  /**
   * The program has ended; its remaining checkpoints are being copied. If the program failed, its
   * container may be held so that users can inspect it. Next, when both are done or timed out:
   * {@link #WAITING} as a new attempt if a restart was received (the exit is then reported only if
   * the program ended by itself). Otherwise the exit is reported; next is {@link #OVER} if a stop
   * was received, else {@link #ENDED}.
   */
  KEEPING,
  /**
   * The program's exit was reported. Next: {@link #WAITING} on a restart, {@link #OVER} on a stop.
   */
  ENDED,
  /** Final state. */
  OVER
}
