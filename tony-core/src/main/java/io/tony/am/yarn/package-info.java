/** The scheduler's and the nodes' side of the ApplicationMaster: YARN's types stay in here. */
package io.tony.am.yarn;
