/**
 * Floor 0: names and descriptions of checkpoints in the cluster's file system, in memory and as
 * text. Executors write checkpoints; the ApplicationMaster selects the one to resume from. Uses
 * {@code java.*} only.
 */
package io.tony.checkpoint;
