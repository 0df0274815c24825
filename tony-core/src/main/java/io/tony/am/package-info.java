/**
 * Floor 5: the ApplicationMaster. This package creates its parts, which are in the packages below.
 */
package io.tony.am;
