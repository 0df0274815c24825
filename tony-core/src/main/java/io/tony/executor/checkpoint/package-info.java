/**
 * Floor 5: keeps in the cluster the checkpoints that a program names while it trains on. Its lines
 * are read, the files of each are held by hard links at once, and copied one checkpoint after the
 * other. How they get into the cluster's file system is behind {@link ClusterStore}.
 */
package io.tony.executor.checkpoint;
