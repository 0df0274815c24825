/** The job's delegation tokens as files: the executor's, and those that its program reads. */
package io.tony.executor.token;
