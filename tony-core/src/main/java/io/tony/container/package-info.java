/**
 * Floor 4: how one of our JVMs is started in a YARN container: its class path, its command line,
 * the files that YARN puts beside it. The client starts the ApplicationMaster with it, the
 * ApplicationMaster its executors. And {@link io.tony.container.PollInterval}, which both ask YARN
 * by.
 */
package io.tony.container;
