/**
 * Floor 1: the facts that can happen to a job, one type each. A fact is converted to and from the
 * event that records it; the event log consists of these events, and the state of a job is computed
 * from them.
 */
package io.tony.event;
