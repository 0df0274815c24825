/**
 * What users give to the client: the command line, the other sources of options, and the local
 * files that a job ships.
 */
package io.tony.client.input;
