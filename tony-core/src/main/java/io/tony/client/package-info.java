/** Floor 6: the client, and its command line {@code tony}. Its rooms are the packages below. */
package io.tony.client;
