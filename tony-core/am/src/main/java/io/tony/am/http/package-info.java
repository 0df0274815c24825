/** Floor 5: servers of the ApplicationMaster for connections from any host, within limits. */
package io.tony.am.http;
