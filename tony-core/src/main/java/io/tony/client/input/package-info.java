/**
 * What a user gives: the command line, where options come from, and the files that a job ships,
 * each as it is on this machine.
 */
package io.tony.client.input;
