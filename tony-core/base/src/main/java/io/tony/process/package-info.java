/** Starts all threads and processes of the current JVM, and examines executable files. */
package io.tony.process;
