/**
 * Checkpoints in the cluster's file system: which one programs go on from, what executors are told
 * of that, and when old ones go.
 */
package io.tony.am.checkpoint;
