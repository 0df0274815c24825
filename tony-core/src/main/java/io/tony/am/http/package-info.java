/**
 * Floor 5: servers of the ApplicationMaster that accept connections from anywhere, within limits.
 */
package io.tony.am.http;
