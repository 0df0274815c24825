/** Narrators: each prints lines in the job's log for users, about events of one subject. */
package io.tony.client.narrate;
