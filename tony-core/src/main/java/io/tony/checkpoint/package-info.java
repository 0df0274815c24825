/**
 * Floor 0: what is known of a checkpoint in the cluster's file system, where it lies, and how that
 * is written down. Executors write it; the ApplicationMaster chooses by it. {@code java.*} only.
 */
package io.tony.checkpoint;
