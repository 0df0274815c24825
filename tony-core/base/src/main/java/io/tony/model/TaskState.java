package io.tony.model;

/**
 * State of one task.
 *
 * <ul>
 *   <li>{@link #WAITING}: not requested yet. Left when the task's container is requested.
 *   <li>{@link #REQUESTED}: a container is requested. Left when the container is allocated.
 *   <li>{@link #LAUNCHING}: the container is allocated and its executor starts. Left when the
 *       executor registers or the container ends. A task that is restarted within its container
 *       returns to this state.
 *   <li>{@link #REGISTERED}: the executor has reserved a port and waits for the other tasks. Left
 *       when the executor is commanded to start the program.
 *   <li>{@link #RUNNING}: the executor was commanded to start the program.
 *   <li>{@link #SUCCEEDED}, {@link #FAILED}: the program ended by itself. Final in this attempt.
 *   <li>{@link #STOPPED}: the task was ended because the job no longer needs it. Final in this
 *       attempt.
 * </ul>
 */
public enum TaskState {
  WAITING,
  REQUESTED,
  LAUNCHING,
  REGISTERED,
  RUNNING,
  SUCCEEDED,
  FAILED,
  STOPPED;

  /** Returns true if the current attempt of the task has ended. */
  public boolean ended() {
    return this == SUCCEEDED || this == FAILED || this == STOPPED;
  }

  /** Returns true if the task has no container and will get one. */
  public boolean awaitsContainer() {
    return this == WAITING || this == REQUESTED;
  }

  /** Returns true if the task has a container. */
  public boolean holdsContainer() {
    return this == LAUNCHING || this == REGISTERED || this == RUNNING;
  }
}
