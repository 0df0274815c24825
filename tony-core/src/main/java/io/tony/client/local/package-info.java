/** Jobs on this machine alone: what a client asks of YARN is answered here. */
package io.tony.client.local;
