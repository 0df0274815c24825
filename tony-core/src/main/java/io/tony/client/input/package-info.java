/** User input: the command line, the sources of options, and the local files that a job ships. */
package io.tony.client.input;
