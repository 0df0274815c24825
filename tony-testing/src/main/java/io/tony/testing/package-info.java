/**
 * Test support for several modules. It runs the artifacts of this build as processes and needs
 * neither Hadoop nor Azkaban on the tests' class path.
 */
package io.tony.testing;
