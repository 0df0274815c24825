/**
 * Support for the tests of several modules. It runs the artifacts of this build in separate
 * processes, so it needs neither Hadoop nor Azkaban on the tests' class path.
 */
package io.tony.testing;
