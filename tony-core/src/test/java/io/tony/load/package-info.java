/**
 * A load without a cluster: the real ApplicationMaster's parts in one JVM, up to 10,000 executors
 * in another, which speak the real protocol over the loopback; only YARN is replaced, by a
 * scheduler that gives every container at once. {@code benchmarks/scale} starts it, and a small
 * gang is a test.
 */
package io.tony.load;
