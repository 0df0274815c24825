/**
 * YARN as the scheduler of the ApplicationMaster. YARN's scheduler types are used only in this
 * package.
 */
package io.tony.am.yarn;
