/**
 * Floor 4: everything that the client (for the ApplicationMaster) and the ApplicationMaster (for
 * the executors) need to start TonY's JVMs in YARN containers: class path, command line, and the
 * files in the working directory. Also {@link io.tony.container.PollInterval}, with which both poll
 * YARN.
 */
package io.tony.container;
