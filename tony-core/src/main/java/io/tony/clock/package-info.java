/** Time, as a process that may be paused measures it. */
package io.tony.clock;
