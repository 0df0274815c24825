/**
 * For what an executor needs Hadoop: to read where the job's ApplicationMaster is by now, and to
 * copy checkpoints to and from the cluster. These classes are loaded, with Hadoop's, when one of
 * them is called and not before.
 */
package io.tony.executor.hadoop;
