/**
 * Floor 5: the ApplicationMaster. This package assembles the parts, which are in the packages
 * below.
 */
package io.tony.am;
