/**
 * The TaskExecutor: the process that runs a task's program in its container. It reserves ports,
 * registers the task with the ApplicationMaster, starts the program on command and reports the
 * program's exit. It repeats this for each further attempt until it is stopped or the
 * ApplicationMaster is lost. {@link io.tony.executor.TaskStateMachine} decides what to do at each
 * event; {@link io.tony.executor.ExecutorLoop} passes it the events.
 */
package io.tony.executor;
