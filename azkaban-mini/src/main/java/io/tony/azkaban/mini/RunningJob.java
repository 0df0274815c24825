package io.tony.azkaban.mini;

import java.time.Instant;

/**
 * A running job.
 *
 * @param job the job's name; inside an embedded flow {@code flow:job}
 * @param attempt number of the job's attempt, from 0
 * @param progress the progress that the job reports, from 0 to 1; 0 if unknown
 */
public record RunningJob(String job, int attempt, Instant startedAt, double progress) {}
