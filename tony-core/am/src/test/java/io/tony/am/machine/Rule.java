package io.tony.am.machine;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What a job that runs, waits, fails or ends must keep to, and why. Those that {@code
 * -Dtony.simulation.without=RULE,RULE} names are not looked at: to see what else a fault breaks.
 */
enum Rule {
  /** Else nothing could end it any more: the application would stay for ever. */
  RUNNING_WAITS_FOR_SOMETHING,
  /** What starts together waits for no task that starts by itself. */
  A_START_WAITS_FOR_ITS_OWN,
  /** A role that waits for others is asked for when they have ended, or nobody waits for them. */
  WAITING_HAS_A_REASON,
  /** What others were asked for upon is not done again beside them. */
  DONE_STAYS_DONE,
  /** A limit ends a job for what has waited for so long, and not for what an earlier one waited. */
  A_LIMIT_COUNTS_FROM_ITS_WAIT,
  /** An executor that never registers, in a job that limits that, is given up in the end. */
  REGISTRATION_IS_BOUNDED,
  /** What is lost once all are there has another cause than what was lost before. */
  BOOKS_ARE_EMPTY,
  /** Nothing ends well for want of a task that it waited for, and that was only lost. */
  A_LOSS_IS_NO_END,
  /** Nobody misses a sidecar, nor a role that is excused: others do not end for it. */
  NO_SIDECAR_DECIDES,
  /** Nor does the job pay for one while the others run. */
  NO_SIDECAR_IS_CHARGED,
  /** No program depends on one, so that none fails because of it. */
  NO_SIDECAR_IS_A_CAUSE,
  /** The limit of a role is spent before that of the job. */
  THE_ROLE_PAYS_FIRST,
  /** What a start of the task alone was charged for is not charged again. */
  A_LOSS_IS_PAID_ONCE,
  /** A program that failed starts again for its cause, or at its user's expense. */
  A_PENDING_FAILURE_IS_NOT_FREE,
  /** The retry of a program that failed because of a loss is its user's again. */
  A_LOSS_REFUNDS,
  /** Who lost a peer at the same moment has not failed by itself. */
  A_CONSEQUENCE_WAITS_FOR_ITS_CAUSE,
  /** Who is asked by a signal may end upon it. */
  A_SIGNAL_IS_NO_FAILURE,
  /** The others wait for the checkpoint of the one that keeps it. */
  THE_KEEPER_IS_ASKED,
  /** In a container of the same size it would only end for its memory again. */
  MEMORY_GROWS,
  /** What ran for long may have come further, whoever was its master. */
  LONG_IS_NOT_EARLY,
  /** Each number of a start is higher than the one before, also in the next application. */
  ATTEMPTS_HAVE_ROOM,
  /** What a later ApplicationMaster does not know, an earlier one must not decide upon. */
  TWINS_DECIDE_THE_SAME;

  private static final Set<Rule> LEFT_OUT = leftOut();

  private static Set<Rule> leftOut() {
    Set<Rule> rules = EnumSet.noneOf(Rule.class);
    for (String name : System.getProperty("tony.simulation.without", "").split(",", -1)) {
      if (!name.isEmpty()) {
        rules.add(valueOf(name));
      }
    }
    return rules;
  }

  void require(boolean kept, Supplier<String> how) {
    if (!kept && !LEFT_OUT.contains(this)) {
      throw new AssertionError(this + ": " + how.get());
    }
  }
}
