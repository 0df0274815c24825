/**
 * Floor 2: a stream of bytes between a client and a task's container, through the
 * ApplicationMaster: what both of its ends do alike.
 */
package io.tony.tunnel;
