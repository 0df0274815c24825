/** YARN as the scheduler of the ApplicationMaster; YARN's types are used only in this package. */
package io.tony.am.yarn;
