package io.tony.protocol;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.io.retry.RetryPolicies;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;

/** Opens RPC proxies for an ApplicationMaster. Each proxy authenticates with its own token. */
public final class Connections {
  /**
   * Timeout of a call in milliseconds. It is longer than the 20 s for which the ApplicationMaster
   * may delay its answer to a call.
   */
  private static final int CALL_TIMEOUT_MS = 25_000;

  private static final int CONNECT_TIMEOUT_MS = 5_000;

  private Connections() {}

  public static <T> T open(
      Class<T> protocol, InetSocketAddress address, Token<TonyToken> token, Configuration conf)
      throws IOException {
    Configuration own = new Configuration(conf);
    RPC.setProtocolEngine(own, protocol, ProtobufRpcEngine2.class);
    // Disable Hadoop's own long retries. A call then fails soon if the ApplicationMaster is lost,
    // and the caller decides whether to repeat it.
    own.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 1);
    own.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 1);
    own.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_TIMEOUT_KEY, CONNECT_TIMEOUT_MS);
    own.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_RETRY_INTERVAL_KEY, 200);
    own.setBoolean(CommonConfigurationKeys.IPC_CLIENT_FALLBACK_TO_SIMPLE_AUTH_ALLOWED_KEY, false);

    if (address.isUnresolved()) {
      throw new UnknownHostException(address.getHostString() + ", where an ApplicationMaster is");
    }
    Token<TonyToken> addressed = new Token<>(token);
    SecurityUtil.setTokenService(addressed, address);
    UserGroupInformation caller =
        UserGroupInformation.createRemoteUser(UserGroupInformation.getCurrentUser().getUserName());
    caller.addToken(addressed);
    try {
      return caller.doAs(
          (PrivilegedExceptionAction<T>)
              () ->
                  RPC.getProtocolProxy(
                          protocol,
                          RPC.getProtocolVersion(protocol),
                          address,
                          caller,
                          own,
                          NetUtils.getDefaultSocketFactory(own),
                          CALL_TIMEOUT_MS,
                          RetryPolicies.TRY_ONCE_THEN_FAIL)
                      .getProxy());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while connecting to " + address, e);
    }
  }

  /** Closes a proxy of {@link #open}. */
  public static void close(Object proxy) {
    RPC.stopProxy(proxy);
  }
}
