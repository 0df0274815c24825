package io.tony.am.machine;

/**
 * A timer of the job. There is at most one of each value: to set a timer again replaces its earlier
 * due time. An expired timer becomes an {@link Event.TimerFired}.
 *
 * @param index number of the group timeout for timers of kind GROUP; otherwise 0
 */
public record Timer(Kind kind, int index) {
  /** What a timer is for. */
  public enum Kind {
    /** Time limit of the whole job ({@code tony.application.timeout}). */
    APPLICATION,
    /**
     * Time limit from the request for containers to the arrival of the last one ({@code
     * tony.container.allocation.timeout}).
     */
    ALLOCATION,
    /** Delay before the job records, for people, which containers it lacks. */
    NOTICE,
    /**
     * Time limit since the last container arrived, while others are missing ({@code
     * tony.gang.partial-allocation-timeout}).
     */
    PARTIAL_ALLOCATION,
    /** Time that an elastic gang waits for containers that it can run without. */
    ELASTIC,
    /**
     * Delay before a gang below its maximum size requests more containers, and limits of the steps
     * of growing.
     */
    GROWTH,
    /** Delay before a gang that gave its containers back requests them again. */
    BACK_OFF,
    /** Time until the first executor exceeds {@code tony.container.registration.timeout}. */
    REGISTRATION,
    /**
     * Time that a program's failure waits for YARN's report of the loss that may have caused it.
     */
    CAUSE,
    /** Time that a role may still run after all roles of a group have ended. */
    GROUP,
    /** Time that tasks have to end after the order to stop; then their containers are stopped. */
    STOPPING
  }

  static final Timer APPLICATION = new Timer(Kind.APPLICATION, 0);
  static final Timer ALLOCATION = new Timer(Kind.ALLOCATION, 0);
  static final Timer NOTICE = new Timer(Kind.NOTICE, 0);
  static final Timer PARTIAL_ALLOCATION = new Timer(Kind.PARTIAL_ALLOCATION, 0);
  static final Timer ELASTIC = new Timer(Kind.ELASTIC, 0);
  static final Timer GROWTH = new Timer(Kind.GROWTH, 0);
  static final Timer BACK_OFF = new Timer(Kind.BACK_OFF, 0);
  static final Timer REGISTRATION = new Timer(Kind.REGISTRATION, 0);
  static final Timer CAUSE = new Timer(Kind.CAUSE, 0);
  static final Timer STOPPING = new Timer(Kind.STOPPING, 0);

  static Timer group(int rule) {
    return new Timer(Kind.GROUP, rule);
  }
}
