/** Clocks and durations for a process that may be paused. */
package io.tony.clock;
