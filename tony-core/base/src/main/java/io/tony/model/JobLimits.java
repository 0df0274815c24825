package io.tony.model;

import java.time.Duration;

/**
 * Time limits of the phases of a job, and the retry limits of its gang. A duration of zero means no
 * limit.
 *
 * @param application time from the ApplicationMaster's start to the job's end
 * @param allocation time from the request for a gang's containers to the allocation of the last one
 * @param partialAllocation how long a gang holds allocated containers while others are missing;
 *     then it gives them back
 * @param allocationBackoff how long the gang waits, the first time, before it requests the
 *     containers again; later waits are longer
 * @param registration time from the start of a task's container to the registration of the task's
 *     executor
 * @param execution run time of one program
 * @param hang how long a program may show no sign of life: no output, no progress, no CPU time
 * @param heartbeatInterval time between two heartbeats of an executor
 * @param maxMissedHeartbeats number of intervals without a heartbeat after which an executor counts
 *     as lost
 * @param masterLost how long an executor that cannot reach its ApplicationMaster keeps trying
 * @param stopGrace time between SIGTERM and SIGKILL for a program's process group
 * @param elasticity how a gang that runs with fewer tasks than preferred gets more
 * @param checkpointRequests how programs are asked for a checkpoint
 * @param retries how often the whole gang is restarted
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

  /** Returns a copy of these limits with this elasticity. */
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

  /**
   * How long YARN counts the loss of an ApplicationMaster against the maximum number of AM
   * attempts.
   */
  public static final Duration AM_FAILURES_VALIDITY_INTERVAL = Duration.ofHours(1);

  /** How long a hanging program may take to dump its stacks before it is killed. */
  public static final Duration STACK_DUMP_TIMEOUT = Duration.ofSeconds(8);

  /**
   * How an elastic gang gets the tasks beyond its minimum.
   *
   * @param waitTimeout how long the gang waits for the containers of these tasks before it starts
   *     without them
   * @param growInterval minimum time from a start of the gang to a request for more containers;
   *     doubles with each repetition
   * @param liveResize whether tasks leave and join while the programs of the other tasks keep
   *     running
   */
  public record Elasticity(Duration waitTimeout, Duration growInterval, boolean liveResize) {}

  /**
   * How programs are asked for a checkpoint, so that an announced stop loses no work.
   *
   * @param validity how long a request for a checkpoint, or YARN's announcement of a preemption, is
   *     taken into account; later, YARN has either taken the container or will not take it
   * @param signal signal that is sent to the programs in addition; {@link ProgramSignal#NONE} for
   *     no signal
   */
  public record CheckpointRequests(Duration validity, ProgramSignal signal) {}

  /**
   * Maximum number of restarts of a gang, for each kind of failure.
   *
   * @param program restarts after a program failed or exceeded its memory
   * @param lost restarts after the loss of a node, a container or an executor
   * @param preempted restarts after YARN preempted a container
   * @param stopRepeatedFailures whether the job ends, even with restarts left, when a program fails
   *     in the same way as in its previous attempt
   */
  public record Retries(int program, int lost, int preempted, boolean stopRepeatedFailures) {
    public long total() {
      return (long) program + lost + preempted;
    }
  }
}
