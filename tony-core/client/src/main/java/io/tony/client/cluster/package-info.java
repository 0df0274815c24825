/** Tells users which server of the cluster a command waits for, and which one does not answer. */
package io.tony.client.cluster;
