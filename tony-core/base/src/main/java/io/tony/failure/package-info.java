/** Classifies the failure of a program by its exit code and the last lines of its stderr. */
package io.tony.failure;
