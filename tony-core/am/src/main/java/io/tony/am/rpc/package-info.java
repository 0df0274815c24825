/** RPC server of the ApplicationMaster: converts between the protocols and the loop's events. */
package io.tony.am.rpc;
