/** The ApplicationMaster's interface to schedulers of any kind, and the launch of executors. */
package io.tony.am.scheduler;
