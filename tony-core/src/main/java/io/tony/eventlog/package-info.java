/**
 * Floor 3: the append-only event log of a job. It consists of files of JSON lines, at least one for
 * each ApplicationMaster. Users read the same lines as the job's history, and clients receive them.
 */
package io.tony.eventlog;
