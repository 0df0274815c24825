/**
 * YARN as the scheduler of the ApplicationMaster: registration, container requests, and launches on
 * YARN's nodes.
 */
package io.tony.am.yarn;
