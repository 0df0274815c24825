/**
 * Floor 4: an index of many jobs, running and finished, with a summary of each job that is computed
 * from its event log.
 */
package io.tony.history;
