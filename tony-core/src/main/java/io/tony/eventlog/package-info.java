/**
 * Floor 3: the append-only event log of a job, files of JSON lines, at least one for each
 * ApplicationMaster. The same lines are the history that people read and what the client is sent.
 */
package io.tony.eventlog;
