/**
 * Follows one application to its end: receives its events from the ApplicationMaster, prints them,
 * updates the status file, collects the output properties, and enforces the start limit.
 */
package io.tony.client.follow;
