package io.tony.executor;

/**
 * Where a {@link TaskLife} stands. A lost ApplicationMaster ends it everywhere, after the program.
 */
enum ExecutorPhase {
  /**
   * Registered; the user's source folder is being unpacked. Left when that is done, for {@link
   * #WAITING}, or has failed, for {@link #ENDED}.
   */
  PREPARING,
  /**
   * The start is awaited. Left for {@link #RUNNING}; for {@link #ENDED} where the program cannot be
   * run; by a restart for this phase again; by a stop for {@link #OVER}.
   */
  WAITING,
  /**
   * The program runs, or was told to end and does so. Left when its group is gone: for {@link
   * #WAITING} as a later attempt if a restart has come meanwhile, of whose kind of end nobody wants
   * to know; else the end is reported, and then it is {@link #OVER} if a stop has come, or {@link
   * #ENDED}.
   */
  RUNNING,
  /** The end was reported. Left by a restart for {@link #WAITING}, by a stop for {@link #OVER}. */
  ENDED,
  /** Nothing is left to do. */
  OVER
}
