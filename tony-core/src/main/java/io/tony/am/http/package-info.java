/** Floor 5: how the ApplicationMaster serves whoever can reach a port, within caps. */
package io.tony.am.http;
