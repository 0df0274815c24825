/**
 * Floor 4: starting TonY's JVMs in YARN containers: class path, command line, and the files that
 * YARN places into the working directory. The client starts the ApplicationMaster, and the
 * ApplicationMaster starts the executors. Also {@link io.tony.container.PollInterval}, with which
 * both poll YARN.
 */
package io.tony.container;
