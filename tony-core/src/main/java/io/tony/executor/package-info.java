/**
 * The TaskExecutor, one process per container. It reserves ports, registers with the
 * ApplicationMaster, starts the program when commanded, reports how the program ended, and repeats
 * that for each further attempt until it is stopped or no ApplicationMaster is left. {@link
 * io.tony.executor.TaskStateMachine} decides; {@link io.tony.executor.ExecutorLoop} runs it.
 */
package io.tony.executor;
