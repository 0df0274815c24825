package io.tony.model;

import java.time.Duration;

/**
 * Time limits of the phases of a job, and retry limits of its gang. A zero duration means no limit.
 *
 * @param application from the ApplicationMaster's start to the job's end
 * @param allocation from the request of a gang's containers to the last allocation
 * @param partialAllocation how long a gang that lacks containers holds the allocated ones before it
 *     gives them back
 * @param allocationBackoff how long the gang waits at first before it requests containers again;
 *     grows with each repetition
 * @param registration from the start of a task's container to the registration of its executor
 * @param execution maximum run time of one program
 * @param hang how long a program may show no sign of life: no output, no progress, no CPU time
 * @param heartbeatInterval how often an executor sends a heartbeat
 * @param maxMissedHeartbeats number of intervals without a heartbeat after which an executor is
 *     lost
 * @param masterLost how long an executor tries to reach its ApplicationMaster before it gives up
 * @param stopGrace time between SIGTERM and SIGKILL for a program's process group
 * @param elasticity how a gang that runs with fewer tasks gets more
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

  /** Returns a copy of these limits with another elasticity. */
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

  /** How long YARN counts a lost ApplicationMaster against the maximum number of AM attempts. */
  public static final Duration AM_FAILURES_VALIDITY_INTERVAL = Duration.ofHours(1);

  /** How long a program may take to dump its stacks before it is killed because its gang hangs. */
  public static final Duration STACK_DUMP_TIMEOUT = Duration.ofSeconds(8);

  /**
   * How a gang gets the tasks beyond its minimum.
   *
   * @param waitTimeout how long a gang waits for the containers of these tasks before it starts
   *     without them
   * @param growInterval minimum time from a start to a request for more containers; doubles with
   *     each repetition
   * @param liveResize whether tasks leave and join while the programs of other tasks keep running
   */
  public record Elasticity(Duration waitTimeout, Duration growInterval, boolean liveResize) {}

  /**
   * How programs are asked for a checkpoint, so that an announced stop loses no work.
   *
   * @param validity how long a request for a checkpoint, or an announced preemption, counts;
   *     afterwards YARN has taken the container, or will not take it
   * @param signal signal that is also sent to the programs; {@link ProgramSignal#NONE} for no
   *     signal
   */
  public record CheckpointRequests(Duration validity, ProgramSignal signal) {}

  /**
   * Maximum number of restarts of a gang, by the kind of failure.
   *
   * @param program after a failure of the program, or when it exceeded its memory
   * @param lost after the loss of a node, a container or an executor
   * @param preempted after YARN took a container back
   * @param stopRepeatedFailures whether the job ends without further restarts when a program
   *     repeats the failure of its previous attempt
   */
  public record Retries(int program, int lost, int preempted, boolean stopRepeatedFailures) {
    public long total() {
      return (long) program + lost + preempted;
    }
  }
}
