/**
 * Floor 4: the job as a state machine of data. {@link io.tony.am.machine.JobMachine} takes a state
 * and an event, and returns the next state and the actions to perform. No I/O, no clock, no logger.
 */
package io.tony.am.machine;
