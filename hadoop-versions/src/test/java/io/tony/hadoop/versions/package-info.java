/** One build of TonY on a cluster of another version of Hadoop than the one it was compiled for. */
package io.tony.hadoop.versions;
