package io.tony.model;

import java.time.Duration;

/**
 * How long each phase of a job may take, and how often a gang is started again. A duration of zero
 * means without limit.
 *
 * @param application from the ApplicationMaster's start to the job's end
 * @param allocation from the request of a gang to its last container
 * @param partialAllocation how long a gang that lacks containers keeps the ones it has, before it
 *     gives them back
 * @param allocationBackoff how long it then waits at first before it asks again; it grows from time
 *     to time
 * @param registration from the start of a task, in its container, to the registration of its
 *     executor
 * @param execution how long one user's process may run
 * @param hang how long a process may show no sign of life: no output, no progress, no CPU time
 * @param heartbeatInterval how often an executor reports
 * @param maxMissedHeartbeats how many intervals of silence make an executor lost
 * @param masterLost how long an executor looks for its ApplicationMaster before it gives up
 * @param stopGrace between SIGTERM and SIGKILL of a user's process group
 * @param elasticity how a gang that may have fewer tasks gets more
 * @param checkpointRequests how programs are asked for a checkpoint
 * @param retries how often the whole gang is started again
 */
public record JobLimits(
    Duration application,
    Duration allocation,
    Duration partialAllocation,
    Duration allocationBackoff,
    Duration registration,
    Duration execution,
    Duration hang,
    Duration heartbeatInterval,
    int maxMissedHeartbeats,
    Duration masterLost,
    Duration stopGrace,
    Elasticity elasticity,
    CheckpointRequests checkpointRequests,
    Retries retries) {

  /** The limits with another elasticity. */
  public JobLimits with(Elasticity next) {
    return new JobLimits(
        application,
        allocation,
        partialAllocation,
        allocationBackoff,
        registration,
        execution,
        hang,
        heartbeatInterval,
        maxMissedHeartbeats,
        masterLost,
        stopGrace,
        next,
        checkpointRequests,
        retries);
  }

  /** How long YARN is to remember that an ApplicationMaster was lost. */
  public static final Duration AM_FAILURES_VALIDITY_INTERVAL = Duration.ofHours(1);

  /**
   * How long a process may take to tell where it stands, before it is ended because a gang hangs.
   */
  public static final Duration STACK_DUMP_TIMEOUT = Duration.ofSeconds(8);

  /**
   * How a gang gets the tasks that it can do without.
   *
   * @param waitTimeout how long it waits for their containers before it starts with those that it
   *     has
   * @param growInterval how long after a start it asks for more at the earliest; doubles from time
   *     to time
   * @param liveResize whether tasks leave and join while the programs of the others run on
   */
  public record Elasticity(Duration waitTimeout, Duration growInterval, boolean liveResize) {}

  /**
   * How programs are asked for a checkpoint, so that nothing is lost by what follows.
   *
   * @param validity how long an answer is worth something: by then YARN has taken what it announced
   * @param signal by which programs are asked, too
   */
  public record CheckpointRequests(Duration validity, ProgramSignal signal) {}

  /**
   * How often a gang is started again, by the kind of failure.
   *
   * @param program after a failure of the program, or when it used too much memory
   * @param lost after the loss of a node, a container or an executor
   * @param preempted after YARN took a container back
   * @param stopRepeatedFailures none is spent on a program that only fails again as it failed
   *     before
   */
  public record Retries(int program, int lost, int preempted, boolean stopRepeatedFailures) {
    public long total() {
      return (long) program + lost + preempted;
    }
  }
}
