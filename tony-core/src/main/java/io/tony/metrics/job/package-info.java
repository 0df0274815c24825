/** The metrics of a running job for a monitoring system, computed from its events. */
package io.tony.metrics.job;
