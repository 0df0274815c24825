/**
 * The user's program in its container: starts and ends its processes, reads its output, stacks and
 * resource usage, and checks the container before. Loads no Hadoop class.
 */
package io.tony.executor.program;
