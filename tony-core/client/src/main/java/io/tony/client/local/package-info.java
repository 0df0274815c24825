/** Runs jobs on this machine without a cluster, by a replacement for YARN's ResourceManager. */
package io.tony.client.local;
