/**
 * Floor 6: {@code tony notebook}, which runs Jupyter in a container and connects a browser to it.
 */
package io.tony.client.notebook;
