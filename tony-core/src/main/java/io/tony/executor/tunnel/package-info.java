/** The executor's ends of tunnels: the task's port, and shells in the container. */
package io.tony.executor.tunnel;
