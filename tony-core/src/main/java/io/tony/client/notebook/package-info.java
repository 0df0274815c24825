/**
 * Floor 6: {@code tony notebook}: Jupyter in a container, and the connection from a browser to it.
 */
package io.tony.client.notebook;
