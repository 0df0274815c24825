/**
 * Floor 5: the client. It checks a job, stages its files, submits it, follows it to its end, and is
 * the {@code tony} command.
 */
package io.tony.client;
