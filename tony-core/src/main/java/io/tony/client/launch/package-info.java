/**
 * Fast start of the client's JVM: the class archive that it uses, and that it prepares for later
 * clients.
 */
package io.tony.client.launch;
