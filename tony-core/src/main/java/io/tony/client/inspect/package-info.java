/**
 * The commands that look at an application and leave it alone: status, logs, stacks, events and
 * timeline.
 */
package io.tony.client.inspect;
