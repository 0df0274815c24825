/**
 * Floor 3: the append-only event log of a job. It consists of files of JSON lines, at least one for
 * each ApplicationMaster. Clients receive the same lines while the job runs; the history service
 * reads them from the files.
 */
package io.tony.eventlog;
