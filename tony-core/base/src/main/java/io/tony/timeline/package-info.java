/**
 * Floor 2: computes where the time of a job went, from its events and from the times of its
 * submission, launch and end that YARN reports.
 */
package io.tony.timeline;
