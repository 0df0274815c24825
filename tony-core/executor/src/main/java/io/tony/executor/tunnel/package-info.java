/** The executor's ends of tunnels: connections to the task's port, and shells in the container. */
package io.tony.executor.tunnel;
