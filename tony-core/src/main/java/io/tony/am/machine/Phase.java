package io.tony.am.machine;

/**
 * Where the job as a whole stands.
 *
 * <ul>
 *   <li>{@link #NEW}: nothing has been asked for; leaves when the ApplicationMaster is ready.
 *   <li>{@link #ALLOCATING}: containers are pending; leaves when the last one is allocated, when
 *       the gang gives up waiting for now, or when a limit of time passes.
 *   <li>{@link #BACKING_OFF}: the gang gave its containers back; leaves to ALLOCATING when its time
 *       is over.
 *   <li>{@link #REGISTERING}: all containers are allocated; leaves when the last executor
 *       registers, or to ALLOCATING when a container must be replaced.
 *   <li>{@link #RUNNING}: every task that was asked for has been told to start; leaves when the
 *       tracked tasks have ended, or to ALLOCATING or REGISTERING when the gang is started again,
 *       or when roles that waited for others are asked for.
 *   <li>{@link #STOPPING}: how the job ends is decided; leaves when no task holds a container.
 *   <li>{@link #FINISHED}: nothing leaves it.
 * </ul>
 *
 * <p>A task that is started again alone changes no phase, and no phase waits for it: the job is
 * RUNNING meanwhile, or others gather.
 */
public enum Phase {
  NEW,
  ALLOCATING,
  BACKING_OFF,
  REGISTERING,
  RUNNING,
  STOPPING,
  FINISHED
}
