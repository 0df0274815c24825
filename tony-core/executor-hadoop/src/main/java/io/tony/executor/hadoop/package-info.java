/**
 * The classes of the executor that need Hadoop: they read the address of the job's current
 * ApplicationMaster, and copy checkpoints to and from the cluster. They are loaded, together with
 * Hadoop's classes, at the first call of one of them, through {@link io.tony.executor.bridge}.
 */
package io.tony.executor.hadoop;
