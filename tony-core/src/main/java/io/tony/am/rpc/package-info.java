/** RPC server of the ApplicationMaster: a thin adapter between the protocols and the loop. */
package io.tony.am.rpc;
