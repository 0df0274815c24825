package io.tony.azkaban.mini;

import java.time.Instant;

/**
 * A job that runs now.
 *
 * @param job the job's name; inside an embedded flow {@code flow:job}
 * @param attempt counted from 0
 * @param progress what the job type's {@code getProgress()} says, 0 to 1; 0 when it does not know
 */
public record RunningJob(String job, int attempt, Instant startedAt, double progress) {}
