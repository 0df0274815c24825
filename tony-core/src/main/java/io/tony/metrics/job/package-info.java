/** What a job that runs tells a monitoring system: figures that follow from its events. */
package io.tony.metrics.job;
