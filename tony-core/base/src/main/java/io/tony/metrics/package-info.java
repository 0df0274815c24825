/** Metrics for a monitoring system in Prometheus' text format. */
package io.tony.metrics;
