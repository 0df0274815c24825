/** The metrics of a running job for a monitoring system, computed from the job's events. */
package io.tony.metrics.job;
