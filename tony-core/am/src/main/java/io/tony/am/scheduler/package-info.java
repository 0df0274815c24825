/** Interface between the ApplicationMaster and any scheduler, and the launch of executors. */
package io.tony.am.scheduler;
