/**
 * Checkpoints in the cluster's file system: selects the checkpoint that programs resume from,
 * instructs executors, and deletes old checkpoints.
 */
package io.tony.am.checkpoint;
