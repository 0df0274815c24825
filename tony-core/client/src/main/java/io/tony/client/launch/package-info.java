/** Makes the client's JVM start fast: uses a class archive, and creates one for later clients. */
package io.tony.client.launch;
