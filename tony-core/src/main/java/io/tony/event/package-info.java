/**
 * Floor 1: the facts that can happen to a job, as types. Each fact writes and reads its own event;
 * the event log consists of these events, and the state of a job is computed from them.
 */
package io.tony.event;
