/**
 * RPC from an executor to its ApplicationMaster: Hadoop RPC without Hadoop's classes, whose loading
 * would take most of a second of CPU time in each container of a gang at the same time. {@code
 * tony.proto} defines the messages; the server is Hadoop's own.
 */
package io.tony.executor.rpc;
