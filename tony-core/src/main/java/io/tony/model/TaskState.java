package io.tony.model;

/**
 * Where one task stands.
 *
 * <ul>
 *   <li>{@link #WAITING}: not asked for yet; leaves when its container is requested.
 *   <li>{@link #REQUESTED}: a container is asked for; leaves when one is allocated.
 *   <li>{@link #LAUNCHING}: the container is allocated and its executor starts; leaves when the
 *       executor registers, or the container ends. A task that is started again in the container
 *       that it has comes back here.
 *   <li>{@link #REGISTERED}: the executor holds a port and waits for the others; leaves when the
 *       user's process is started.
 *   <li>{@link #RUNNING}: the executor has been told to start the user's process.
 *   <li>{@link #SUCCEEDED}, {@link #FAILED}: the process ended by itself; final in this attempt.
 *   <li>{@link #STOPPED}: ended because the job no longer wants it; final in this attempt.
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

  /** True when the task will not change again in this attempt of the gang. */
  public boolean ended() {
    return this == SUCCEEDED || this == FAILED || this == STOPPED;
  }

  /** True while the task has no container and is to get one. */
  public boolean awaitsContainer() {
    return this == WAITING || this == REQUESTED;
  }

  /** True while the task occupies a container. */
  public boolean holdsContainer() {
    return this == LAUNCHING || this == REGISTERED || this == RUNNING;
  }
}
