/** From values to a {@link io.tony.model.JobSpec}, with all that is wrong with them. */
package io.tony.config.job;
