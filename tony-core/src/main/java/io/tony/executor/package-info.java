/**
 * Floor 5: the TaskExecutor, one per container. It reserves a port, registers, starts the user's
 * process group when it is told to, reports how it ended, and does the same again for the next
 * attempt, until it is told to stop or finds no ApplicationMaster any more.
 */
package io.tony.executor;
