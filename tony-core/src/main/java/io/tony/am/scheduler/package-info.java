/** What an ApplicationMaster has of its scheduler, whichever that is, and starts executors with. */
package io.tony.am.scheduler;
