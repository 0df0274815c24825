/**
 * Floor 0: names and manifests of checkpoints in the cluster's file system. Executors write
 * checkpoints; the ApplicationMaster selects the one from which the gang resumes. Uses {@code
 * java.*} only.
 */
package io.tony.checkpoint;
