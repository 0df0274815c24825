package io.tony.model;

import java.time.Duration;

/**
 * How long each phase of a job may take, and how often a gang is started again. A duration of zero
 * means without limit.
 *
 * @param application from the ApplicationMaster's start to the job's end
 * @param allocation from the request of a gang to its last container
 * @param registration from the last container to the last registration of an executor
 * @param execution how long one user's process may run
 * @param heartbeatInterval how often an executor reports
 * @param maxMissedHeartbeats how many intervals of silence make an executor lost
 * @param stopGrace between SIGTERM and SIGKILL of a user's process group
 * @param gangRetries how often the whole gang is started again after a failure of the program
 * @param lostRetries how often after a loss that is not the program's fault
 */
public record JobLimits(
    Duration application,
    Duration allocation,
    Duration registration,
    Duration execution,
    Duration heartbeatInterval,
    int maxMissedHeartbeats,
    Duration stopGrace,
    int gangRetries,
    int lostRetries) {}
