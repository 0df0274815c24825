/**
 * The servers of the cluster, as a command speaks of them while it waits for them or when they do
 * not answer.
 */
package io.tony.client.cluster;
