/**
 * Floor 3: the append-only event log of a job, one file of JSON lines per application. The same
 * lines are the history that people read and what the client is sent.
 */
package io.tony.eventlog;
