package io.tony.am.rpc;

import io.tony.protocol.TonyToken;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/** Allows executors and clients to call only their own protocol. */
final class CallerAuthorization {
  private CallerAuthorization() {}

  static void require(TonyToken.Audience audience) throws ServiceException {
    UserGroupInformation caller = Server.getRemoteUser();
    if (caller != null) {
      for (TokenIdentifier identifier : caller.getTokenIdentifiers()) {
        if (identifier instanceof TonyToken token && token.audience() == audience) {
          return;
        }
      }
    }
    // Hadoop's server builds its answer from the exception's cause and fails without one.
    throw new ServiceException(
        new AccessControlException(caller + " is not admitted: this protocol is for " + audience));
  }
}
