/**
 * Follows one application from submission to end: polls its ApplicationMaster for events, narrates
 * them, writes the output properties and the status file, and enforces the start limit.
 */
package io.tony.client.follow;
