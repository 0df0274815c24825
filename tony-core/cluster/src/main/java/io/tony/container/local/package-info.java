/**
 * Runs jobs on this machine instead of a cluster: its folders, its resources, and containers as
 * processes.
 */
package io.tony.container.local;
