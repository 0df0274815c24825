package io.tony.am.machine;

/**
 * Where the job as a whole stands.
 *
 * <ul>
 *   <li>{@link #NEW}: nothing has been asked for; leaves when the ApplicationMaster is ready.
 *   <li>{@link #ALLOCATING}: containers are owed; leaves when the last one is allocated, when the
 *       gang fails, or when a limit of time passes.
 *   <li>{@link #REGISTERING}: all containers are allocated; leaves when the last executor
 *       registers.
 *   <li>{@link #RUNNING}: every task has been told to start; leaves when the tracked tasks have
 *       ended, or one fails.
 *   <li>{@link #STOPPING}: the outcome is decided; leaves, to FINISHED or again to ALLOCATING, when
 *       no task holds a container.
 *   <li>{@link #FINISHED}: nothing leaves it.
 * </ul>
 */
public enum Phase {
  NEW,
  ALLOCATING,
  REGISTERING,
  RUNNING,
  STOPPING,
  FINISHED
}
