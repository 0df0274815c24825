/**
 * Checkpoints in the cluster's file system: selects the checkpoint that tasks resume from, tells
 * executors, and deletes old checkpoints.
 */
package io.tony.am.checkpoint;
