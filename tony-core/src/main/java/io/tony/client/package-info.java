/** Floor 6: the client and its command line, {@code tony}. The packages below contain its parts. */
package io.tony.client;
