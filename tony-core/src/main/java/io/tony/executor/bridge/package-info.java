/**
 * The only door from an executor to Hadoop's classes, which are loaded at the first call in a class
 * loader of their own (see {@link io.tony.executor.hadoop}).
 */
package io.tony.executor.bridge;
