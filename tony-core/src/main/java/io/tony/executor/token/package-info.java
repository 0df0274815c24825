/**
 * The delegation tokens of the job as files: those of the executor and those that its program
 * reads.
 */
package io.tony.executor.token;
