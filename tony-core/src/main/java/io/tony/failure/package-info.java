/** What the failure of a program says by its exit code and the last lines of its stderr. */
package io.tony.failure;
