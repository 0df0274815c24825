/** The ApplicationMaster's RPC server: a thin adapter between the protocols and the loop. */
package io.tony.am.rpc;
