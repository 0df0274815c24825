/**
 * Floor 2: computes where the time of a job went, from its events and from YARN's times of its
 * submission, launch and end.
 */
package io.tony.timeline;
