/**
 * The TaskExecutor, one process per container. It reserves ports, registers with the
 * ApplicationMaster, starts the program on command, reports the program's exit, and repeats that
 * for each further attempt until it is stopped or the ApplicationMaster is lost. {@link
 * io.tony.executor.TaskStateMachine} decides; {@link io.tony.executor.ExecutorLoop} runs it.
 */
package io.tony.executor;
