/**
 * Floor 4: what there is of many jobs, running and ended, by their event logs: a summary of each,
 * and an index that is kept up to date and asked for them.
 */
package io.tony.history;
