/**
 * Uploads the checkpoints that a program names while it keeps training. The lines of the program's
 * file are read, the files of each checkpoint are preserved by hard links at once, and the
 * checkpoints are copied one after the other. {@link ClusterStore} hides how they get into the
 * cluster's file system.
 */
package io.tony.executor.checkpoint;
