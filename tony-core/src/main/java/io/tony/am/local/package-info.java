/** This machine as the scheduler of the ApplicationMaster: containers are its processes. */
package io.tony.am.local;
