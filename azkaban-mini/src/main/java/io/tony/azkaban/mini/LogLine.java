package io.tony.azkaban.mini;

import java.time.Instant;
import org.apache.log4j.Level;

/**
 * One line of a job's log, without log4j's date, logger and level in front.
 *
 * @param job the job's name; inside an embedded flow {@code flow:job}
 * @param attempt counted from 0
 * @param level {@code ERROR} also for each line that a process job writes to its standard error
 */
public record LogLine(String job, int attempt, Level level, Instant at, String text) {}
