/** Floor 6: {@code tony shell}: this terminal, and the tunnel to a shell in a task's container. */
package io.tony.client.shell;
