/**
 * Floor 4: the job as a state machine. {@link io.tony.am.machine.JobMachine} takes a state and an
 * event, and returns the next state and the actions to perform. Does no I/O, and has no clock and
 * no logger.
 *
 * <p>The package has more than 30 files because it is one state machine: its policies (restarts,
 * root causes, elastic gangs, timeouts, checkpoints, …) share the package-private state and decide
 * together about one event. Splitting it would make the whole state public.
 */
package io.tony.am.machine;
