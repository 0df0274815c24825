/**
 * This machine in the place of a cluster: its folders, what it has, and containers as processes.
 */
package io.tony.container.local;
