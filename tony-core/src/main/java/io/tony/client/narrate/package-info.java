/**
 * Narrators: each turns events of one subject into the lines that a user reads in the job's log.
 */
package io.tony.client.narrate;
