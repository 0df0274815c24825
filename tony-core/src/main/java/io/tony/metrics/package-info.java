/** How figures are told to a monitoring system: Prometheus' text format. */
package io.tony.metrics;
