package io.tony.azkaban.mini;

import java.time.Instant;

/**
 * A running job.
 *
 * @param job the job's name; inside an embedded flow {@code flow:job}
 * @param attempt counted from 0
 * @param progress the result of the job type's {@code getProgress()}, 0 to 1; 0 if unknown
 */
public record RunningJob(String job, int attempt, Instant startedAt, double progress) {}
