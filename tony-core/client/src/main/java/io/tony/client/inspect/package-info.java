/**
 * Commands for an application that is given by its id: status, kill, logs, stacks, events and
 * timeline.
 */
package io.tony.client.inspect;
