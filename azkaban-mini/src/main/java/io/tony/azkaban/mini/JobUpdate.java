package io.tony.azkaban.mini;

import azkaban.executor.Status;
import java.time.Instant;

/**
 * A change of a job's status.
 *
 * @param job the job's name; inside an embedded flow {@code flow:job}
 * @param attempt number of the job's attempt, from 0; equals {@code azkaban.job.attempt}
 * @param status the new status
 * @param at when Azkaban changed the status
 */
public record JobUpdate(String job, int attempt, Status status, Instant at) {}
