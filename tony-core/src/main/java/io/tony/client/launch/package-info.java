/** How the client's JVM gets to its work quickly: what it finds prepared, and what it prepares. */
package io.tony.client.launch;
