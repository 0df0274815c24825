/**
 * A submitted application as YARN and its ApplicationMaster present it: lookup, connection, kill,
 * final status, queue, history and log links.
 */
package io.tony.client.application;
