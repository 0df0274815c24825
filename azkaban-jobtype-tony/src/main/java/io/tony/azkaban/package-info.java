/**
 * The Azkaban job type {@code tony}. It writes a job's properties to a file, runs TonY's client in
 * a child JVM on Java 17, and reports the result to Azkaban. It is loaded into Azkaban's own JVM
 * (2.5.0, 3.x and 4.x), and is therefore written in Java 8, needs no library besides Azkaban's, and
 * calls Hadoop only through Azkaban's own security manager.
 *
 * <p>The package has more than 30 files because only the classes that Azkaban names are public: its
 * parts are package-private, so that nothing of them is visible to other plugins in Azkaban's JVM.
 */
package io.tony.azkaban;
