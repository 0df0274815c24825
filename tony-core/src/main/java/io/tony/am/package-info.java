/** Floor 5: the ApplicationMaster. Its parts are the packages below; here they are put together. */
package io.tony.am;
