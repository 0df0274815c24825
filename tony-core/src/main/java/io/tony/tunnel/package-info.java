/**
 * Floor 2: the common code of both ends of a tunnel, a stream of bytes between a client and a
 * task's container that passes through the ApplicationMaster.
 */
package io.tony.tunnel;
