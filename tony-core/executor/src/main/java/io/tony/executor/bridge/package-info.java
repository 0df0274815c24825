/**
 * The only way from the executor to Hadoop: calls the classes of {@link io.tony.executor.hadoop},
 * which a class loader of its own loads, with Hadoop's classes, at the first call.
 */
package io.tony.executor.bridge;
