/**
 * Floor 3: the append-only event log of a job. It consists of files of JSON lines, at least one for
 * each ApplicationMaster. Clients receive the same lines, and the history of the job is read from
 * them.
 */
package io.tony.eventlog;
