package io.tony.azkaban.mini;

import java.time.Instant;
import org.apache.log4j.Level;

/**
 * One line of a job's log, without the date, logger and level that log4j writes before it.
 *
 * @param job the job's name; inside an embedded flow {@code flow:job}
 * @param attempt number of the job's attempt, from 0
 * @param level the line's level; {@code ERROR} for each line that a process job writes to its
 *     standard error
 * @param at when the line was logged
 */
public record LogLine(String job, int attempt, Level level, Instant at, String text) {}
