/**
 * What tests of several modules share. It runs what this build has made, as processes, and needs
 * neither Hadoop nor Azkaban on the class path of the tests.
 */
package io.tony.testing;
