/**
 * Floor 1: what can become of a job, as types. Each fact has its writer and its reader side by
 * side; the lines of the event log are made of them, and the state of a job is their fold.
 */
package io.tony.event;
