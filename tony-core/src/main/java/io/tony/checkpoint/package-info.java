/**
 * Floor 0: the description of a checkpoint in the cluster's file system, its location, and its text
 * format. Executors write checkpoints; the ApplicationMaster selects the one to resume from. Uses
 * {@code java.*} only.
 */
package io.tony.checkpoint;
