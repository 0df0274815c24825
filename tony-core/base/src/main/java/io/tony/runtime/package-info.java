/** Floor 3: the environment variables that each framework expects in its programs. */
package io.tony.runtime;
