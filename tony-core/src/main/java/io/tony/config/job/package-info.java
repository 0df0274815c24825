/** Reads a configuration into a {@link io.tony.model.JobSpec}, and reports all of its problems. */
package io.tony.config.job;
