/**
 * The Azkaban job type {@code tony}. It is loaded into Azkaban's own JVM (2.5.0, 3.x and 4.x), so
 * it is Java 8, brings no library and never calls Hadoop directly. It writes a job's properties to
 * a file, runs TonY's client in a child JVM on Java 17, and reports the result to Azkaban.
 */
package io.tony.azkaban;
