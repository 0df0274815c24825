package io.tony.executor;

/**
 * Where a {@link TaskStateMachine} stands. A lost ApplicationMaster ends it everywhere, after the
 * program and what is left to keep of its checkpoints.
 */
enum ExecutorPhase {
  /**
   * Registered; the user's source folder is being unpacked. Left when that is done, for {@link
   * #WAITING}, or has failed, for {@link #ENDED}.
   */
  PREPARING,
  /**
   * The start is awaited. Left for {@link #RUNNING}, or before that for {@link #RESUMING}; for
   * {@link #ENDED} where the program cannot be run; by a restart for this phase again; by a stop
   * for {@link #OVER}.
   */
  WAITING,
  /**
   * The checkpoint is brought back from which the program is to go on. Left as {@link #WAITING} is.
   */
  RESUMING,
  /**
   * The program runs, or was told to end and does so. Left when its group is gone: for {@link
   * #KEEPING} where the task keeps checkpoints; else as that one is.
   */
  RUNNING,
  /**
   * The program has ended, the last of its checkpoints are copied, and where it failed, its
   * container is kept for people to look into. Left when that is done, or has taken too long: for
   * {@link #WAITING} as a later attempt if a restart has come meanwhile, of whose kind of end
   * nobody wants to know; else the end is reported, and then it is {@link #OVER} if a stop has
   * come, or {@link #ENDED}.
   */
  KEEPING,
  /** The end was reported. Left by a restart for {@link #WAITING}, by a stop for {@link #OVER}. */
  ENDED,
  /** Nothing is left to do. */
  OVER
}
