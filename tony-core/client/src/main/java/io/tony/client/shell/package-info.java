/** Floor 6: {@code tony shell}, which connects this terminal to a shell in a task's container. */
package io.tony.client.shell;
