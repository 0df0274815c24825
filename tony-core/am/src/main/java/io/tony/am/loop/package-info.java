/**
 * The event loop: one thread that owns the job's state. The loop takes events, lets the state
 * machine decide, records the facts, and performs the actions once the facts are recorded.
 */
package io.tony.am.loop;
