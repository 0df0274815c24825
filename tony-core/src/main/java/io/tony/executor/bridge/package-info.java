/**
 * The executor's only access to Hadoop's classes, which are loaded at the first call by a separate
 * class loader (see {@link io.tony.executor.hadoop}).
 */
package io.tony.executor.bridge;
