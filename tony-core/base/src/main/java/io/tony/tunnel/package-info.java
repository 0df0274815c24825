/**
 * Floor 2: code that both ends of a tunnel share. A tunnel is a stream of bytes between a client
 * and a task's container that passes through the ApplicationMaster.
 */
package io.tony.tunnel;
