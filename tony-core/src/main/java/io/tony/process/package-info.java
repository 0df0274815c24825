/** Where this program's threads and processes begin. */
package io.tony.process;
