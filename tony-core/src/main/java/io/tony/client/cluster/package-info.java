/**
 * Tells users about the cluster's servers: which one a command waits for, and which one does not
 * answer.
 */
package io.tony.client.cluster;
