/**
 * Converts a configuration into a {@link io.tony.model.JobSpec}, and reports all errors of the
 * configuration together.
 */
package io.tony.config.job;
