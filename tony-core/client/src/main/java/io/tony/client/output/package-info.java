/**
 * Output of commands: the job's log, safe text, machine-readable event lines, the format of
 * durations and sizes, and how often lines are printed.
 */
package io.tony.client.output;
