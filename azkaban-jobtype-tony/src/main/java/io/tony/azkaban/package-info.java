/**
 * The Azkaban job type {@code tony}. It is loaded inside Azkaban's own JVM (2.5.0, 3.x and 4.x), so
 * it is Java 8, brings no library, and never touches Hadoop: it translates a job's properties into
 * a file, runs TonY's client in one child JVM on Java 17, and tells Azkaban what became of it.
 */
package io.tony.azkaban;
