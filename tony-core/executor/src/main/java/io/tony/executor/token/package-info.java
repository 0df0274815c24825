/**
 * The job's delegation tokens as files: those of the container, which the executor reads, and those
 * for the user's program.
 */
package io.tony.executor.token;
