/** A task's reserved ports and its network interface. */
package io.tony.executor.port;
