package io.tony.am.machine;

/**
 * The timers of a job. Setting one that is set replaces it; it expires into an event.
 *
 * @param index tells timers of one kind apart: for GROUP, the number of the rule; else 0
 */
public record Timer(Kind kind, int index) {
  /** What a timer bounds. */
  public enum Kind {
    /** The whole job, {@code tony.application.timeout}. */
    APPLICATION,
    /** From a request to its last container, {@code tony.container.allocation.timeout}. */
    ALLOCATION,
    /** Until people are told what a request waits for. */
    NOTICE,
    /** From the last container that came, {@code tony.gang.partial-allocation-timeout}. */
    HOLD,
    /** From a request of containers that the gang can do without, to its start without them. */
    ELASTIC,
    /** From the start of a gang with fewer tasks than it wants, until it asks for more. */
    GROWTH,
    /** Until a gang that gave its containers back asks again. */
    BACK_OFF,
    /**
     * Until the time of an executor to register may be up, {@code
     * tony.container.registration.timeout}.
     */
    REGISTRATION,
    /** For YARN to report the loss that a program's failure seems to follow from. */
    CAUSE,
    /** How long a role may go on after a group has ended. */
    GROUP,
    /** For the tasks to end after they were told to; then their containers are stopped. */
    STOPPING
  }

  static final Timer APPLICATION = new Timer(Kind.APPLICATION, 0);
  static final Timer ALLOCATION = new Timer(Kind.ALLOCATION, 0);
  static final Timer NOTICE = new Timer(Kind.NOTICE, 0);
  static final Timer HOLD = new Timer(Kind.HOLD, 0);
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
