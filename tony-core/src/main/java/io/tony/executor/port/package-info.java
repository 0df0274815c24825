/** The ports and the network interface of a task. */
package io.tony.executor.port;
