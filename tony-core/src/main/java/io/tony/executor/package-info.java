/**
 * Floor 5: the TaskExecutor, one per container. It reserves a port, registers, starts the user's
 * process group when it is told to, and reports how it ended.
 */
package io.tony.executor;
