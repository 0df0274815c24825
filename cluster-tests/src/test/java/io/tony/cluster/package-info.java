/** What the whole system does on a real HDFS and YARN, seen from outside: the tony command. */
package io.tony.cluster;
