/**
 * RPC from an executor to its ApplicationMaster, in Hadoop's RPC protocol but without Hadoop's
 * classes: loading them would take most of a second of CPU time in each container of a gang at the
 * same time. {@code tony.proto} defines the messages. The server in the ApplicationMaster is
 * Hadoop's own.
 */
package io.tony.executor.rpc;
