/**
 * Floor 4: the job as a state machine. {@link io.tony.am.machine.JobMachine} takes a state and an
 * event, and returns the next state and the actions to perform. Does no I/O, and has no clock and
 * no logger.
 */
package io.tony.am.machine;
