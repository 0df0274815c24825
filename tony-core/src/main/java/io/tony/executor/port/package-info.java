/** A task's ports and its network interface. */
package io.tony.executor.port;
