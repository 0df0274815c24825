/** Floor 6: {@code tony notebook}: Jupyter in a container, and the way of a browser to it. */
package io.tony.client.notebook;
