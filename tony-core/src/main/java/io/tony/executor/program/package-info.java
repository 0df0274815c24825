/**
 * The user's program in its container: its process group from start to end, its output, stacks,
 * resource usage and checks. No Hadoop class is loaded here.
 */
package io.tony.executor.program;
