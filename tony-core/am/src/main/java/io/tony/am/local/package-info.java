/** Local scheduler of the ApplicationMaster: containers are processes of this machine. */
package io.tony.am.local;
