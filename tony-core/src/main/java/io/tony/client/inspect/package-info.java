/**
 * The commands that show an application without changing it: status, logs, stacks, events and
 * timeline.
 */
package io.tony.client.inspect;
