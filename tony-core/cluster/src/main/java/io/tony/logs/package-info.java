/**
 * Reads the log files of containers from this machine, from their nodes, or from YARN's log
 * aggregation.
 */
package io.tony.logs;
