/**
 * The one thing for which an executor needs Hadoop: to read where the job's ApplicationMaster is by
 * now. These classes are loaded, with Hadoop's, when that is asked for and not before.
 */
package io.tony.executor.hadoop;
