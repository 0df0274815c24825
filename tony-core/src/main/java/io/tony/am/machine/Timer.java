package io.tony.am.machine;

/** The timers of a job, by key. Setting one that is set replaces it; it expires into an event. */
public enum Timer {
  /** The whole job, {@code tony.application.timeout}. */
  APPLICATION,
  /**
   * From the request of a gang to its last container, {@code tony.container.allocation.timeout}.
   */
  ALLOCATION,
  /** From the last container to the last executor, {@code tony.container.registration.timeout}. */
  REGISTRATION,
  /** For the tasks to end after they were told to; then their containers are stopped. */
  STOPPING
}
