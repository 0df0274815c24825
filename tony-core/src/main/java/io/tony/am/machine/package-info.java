/**
 * Floor 4: the job as a state machine of data. {@link io.tony.am.machine.JobMachine} takes a state
 * and an event and gives the next state and what is to be done. No I/O, no clock, no logger.
 */
package io.tony.am.machine;
