/** Start of all threads and processes of this program. */
package io.tony.process;
