/** The executor's ends of tunnels: the task's own port, and shells in the container. */
package io.tony.executor.tunnel;
