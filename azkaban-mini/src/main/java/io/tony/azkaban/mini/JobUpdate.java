package io.tony.azkaban.mini;

import azkaban.executor.Status;
import java.time.Instant;

/**
 * A job's new status.
 *
 * @param job the job's name; inside an embedded flow {@code flow:job}
 * @param attempt counted from 0, as {@code azkaban.job.attempt}
 * @param at when Azkaban changed the status
 */
public record JobUpdate(String job, int attempt, Status status, Instant at) {}
