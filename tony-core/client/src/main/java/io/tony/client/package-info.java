/**
 * Floor 6: the client, with its command line {@code tony}. The subpackages contain the client's
 * parts.
 */
package io.tony.client;
