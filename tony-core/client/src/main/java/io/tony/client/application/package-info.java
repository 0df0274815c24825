/**
 * A submitted application as YARN and its ApplicationMaster present it: state, connection, kill,
 * final status, queue, event log and links to logs.
 */
package io.tony.client.application;
