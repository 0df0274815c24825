package io.tony.am.machine;

/**
 * Phase of the whole job.
 *
 * <ul>
 *   <li>{@link #NEW}: nothing has been requested. Left when the ApplicationMaster is ready.
 *   <li>{@link #ALLOCATING}: containers are pending. Left when the last one is allocated, when the
 *       gang backs off, or when a time limit passes.
 *   <li>{@link #BACKING_OFF}: the gang gave its containers back. Left to ALLOCATING when the
 *       back-off delay is over.
 *   <li>{@link #REGISTERING}: all containers are allocated. Left when the last executor registers,
 *       or to ALLOCATING when a container must be replaced.
 *   <li>{@link #RUNNING}: every requested task has been ordered to start. Left when the tracked
 *       tasks have ended, or to ALLOCATING or REGISTERING when the gang restarts or roles with
 *       dependencies are requested.
 *   <li>{@link #STOPPING}: the result is decided. Left when no task holds a container.
 *   <li>{@link #FINISHED}: the final phase.
 * </ul>
 *
 * <p>The restart of a single task changes no phase, and no phase waits for that task.
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
