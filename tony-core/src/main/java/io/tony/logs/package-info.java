/** Reads the log files of containers, from their nodes or from YARN's log aggregation. */
package io.tony.logs;
