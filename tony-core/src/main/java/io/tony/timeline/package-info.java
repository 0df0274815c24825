/**
 * Floor 2: where the time of a job went, computed from its events alone. Whoever shows it, on the
 * command line or on a page, shows the same.
 */
package io.tony.timeline;
