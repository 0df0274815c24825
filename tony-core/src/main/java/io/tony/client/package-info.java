/**
 * Floor 6: the client and its command line, {@code tony}. The subpackages contain the parts of the
 * client.
 */
package io.tony.client;
