/** Jobs on this machine without a cluster: replaces YARN's ResourceManager. */
package io.tony.client.local;
