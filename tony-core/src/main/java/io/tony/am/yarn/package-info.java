/** YARN as the scheduler of the ApplicationMaster: YARN's types stay in here. */
package io.tony.am.yarn;
