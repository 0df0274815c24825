/** Floor 3: what each framework wants to find in the environment of its processes. */
package io.tony.runtime;
