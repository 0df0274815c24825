/**
 * Messages about the cluster's servers, while a command waits for them or if they do not answer.
 */
package io.tony.client.cluster;
