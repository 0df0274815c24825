/** Floor 3: the environment variables that each framework expects in its processes. */
package io.tony.runtime;
