/**
 * Floor 1: the facts that can happen to a job, one record class each, and their conversion to and
 * from events. The event log consists of these events; the ApplicationMaster computes the state of
 * the job from the facts.
 */
package io.tony.event;
