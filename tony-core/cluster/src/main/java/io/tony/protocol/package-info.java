/**
 * Floor 2: the two RPC protocols of an ApplicationMaster (for executors and for clients), their
 * messages and their tokens.
 */
package io.tony.protocol;
