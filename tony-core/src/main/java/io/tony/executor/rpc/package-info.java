/**
 * How an executor speaks with its ApplicationMaster: Hadoop's RPC, without Hadoop's classes. To
 * load those takes most of a second of CPU in each container of a gang, at the same time. The
 * messages are those of {@code tony.proto}; the server is Hadoop's own.
 */
package io.tony.executor.rpc;
