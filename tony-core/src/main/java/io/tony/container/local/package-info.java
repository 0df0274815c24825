/** This machine in place of a cluster: its folders, its resources, and containers as processes. */
package io.tony.container.local;
