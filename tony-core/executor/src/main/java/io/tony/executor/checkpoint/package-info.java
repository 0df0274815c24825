/**
 * Uploads the checkpoints that a program names, while the program keeps training. The program
 * writes the path of each finished checkpoint into a file; its files are preserved at once by hard
 * links and copied to the cluster, one checkpoint after the other. {@link ClusterStore} is the
 * access to the cluster's file system.
 */
package io.tony.executor.checkpoint;
