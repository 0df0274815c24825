/**
 * Floor 2: where the time of a job went, computed from its events and from when YARN took, launched
 * and ended it.
 */
package io.tony.timeline;
