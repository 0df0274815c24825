/**
 * The parts of an executor that need Hadoop: reading the address of the job's current
 * ApplicationMaster, and copying checkpoints to and from the cluster. These classes are loaded,
 * with Hadoop's, only when one of them is called.
 */
package io.tony.executor.hadoop;
