package io.tony.am.machine;

/**
 * A timer of the job. Setting a timer again replaces the earlier setting; an expired timer becomes
 * an event.
 *
 * @param index number of the rule for timers of kind GROUP; otherwise 0
 */
public record Timer(Kind kind, int index) {
  /** What a timer limits. */
  public enum Kind {
    /** Time limit of the whole job, {@code tony.application.timeout}. */
    APPLICATION,
    /** Time from a request to its last container, {@code tony.container.allocation.timeout}. */
    ALLOCATION,
    /** Time until the missing containers of a request are recorded for people. */
    NOTICE,
    /** Time since the last container arrived, {@code tony.gang.partial-allocation-timeout}. */
    PARTIAL_ALLOCATION,
    /** Time that the gang waits for optional containers before it starts without them. */
    ELASTIC,
    /** Time from the start of a gang below its maximum size until it requests more containers. */
    GROWTH,
    /** Delay until a gang that gave its containers back requests them again. */
    BACK_OFF,
    /** Time until the next executor exceeds {@code tony.container.registration.timeout}. */
    REGISTRATION,
    /** Time for YARN to report the loss that may have caused a program's failure. */
    CAUSE,
    /** Time that a role may run after a group has ended. */
    GROUP,
    /** Time for tasks to end when ordered to, before their containers are stopped. */
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
