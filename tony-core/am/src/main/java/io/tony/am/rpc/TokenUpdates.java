package io.tony.am.rpc;

import io.tony.protocol.DelegatedTokens;
import io.tony.protocol.proto.TonyProtos.Tokens;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Newer delegation tokens that a client has brought, for a job that outlives its first tokens. This
 * process uses them, and executors get them. Thread-safe.
 */
public final class TokenUpdates {
  private static final Logger LOG = LoggerFactory.getLogger(TokenUpdates.class);

  private final UserGroupInformation processUser;
  private @Nullable Tokens latest; // null before the first

  /**
   * Creates the object without tokens.
   *
   * @param processUser user of this process, who gets the tokens
   */
  public TokenUpdates(UserGroupInformation processUser) {
    this.processUser = processUser;
  }

  /**
   * Adds the tokens to this process's user, replacing those of the same services. Ignored unless
   * their version is higher than the last one.
   */
  synchronized void accept(Tokens tokens) throws IOException {
    if (latest == null || tokens.getVersion() > latest.getVersion()) {
      Credentials credentials = DelegatedTokens.read(tokens);
      processUser.addCredentials(credentials);
      latest = tokens;
      LOG.info("A client has brought {} newer tokens", credentials.numberOfTokens());
    }
  }

  /**
   * Returns the newest tokens if their version is higher than {@code version}, which is that of the
   * executor's tokens; else empty. Version 0 are the tokens with which the executor started.
   */
  synchronized Optional<Tokens> newerThan(long version) {
    return Optional.ofNullable(latest).filter(tokens -> tokens.getVersion() > version);
  }
}
